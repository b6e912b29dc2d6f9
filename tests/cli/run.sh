#!/bin/sh
exec bats --tap "$@"
