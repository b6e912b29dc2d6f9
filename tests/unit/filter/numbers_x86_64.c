/* Only preprocessed: every number the machine's headers know. */
#include <asm/unistd_64.h>
