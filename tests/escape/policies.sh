# shellcheck shell=bash disable=SC2154,SC2034 # run.sh's own
# Family 1 and others: rules that could be understood in two ways, tried by
# real files.  Part of run.sh.
mkdir "$stage/p" && cd "$stage/p" || exit 1
ids[own]=''
mkdir -p r/a/b '[WIP] p' later
decomposed=$(printf 'e\xcc\x81')
for file in r/f r/a/f r/a/b/f '[WIP] p/f' 'a*b' 'axb' é "$decomposed" rule; do
	echo SECRET >"$file"
done

# by RULES COMMAND...: in a cage of these rules.
by()
{
	{
		echo 'schemaVersion: 2'
		echo 'kind: Policy'
		echo 'metadata: {name: p}'
		echo 'spec:'
		echo "$1"
	} >"$stage/p.yaml"
	shift
	"$cordon" run --quiet --policy "$stage/p.yaml" --profile dev -- "$@"
}

all='fsProfiles: {dev: {read: ["./**"], modify: ["./**"]}}'

# 6: brackets are themselves, stars are not
rules="  denyRead: [\"[WIP] p/**\", \"a*b\"]
  $all"
tried 6-brackets "$(escaped cat '[WIP] p/f')" \
    "$(escaped by "$rules" cat '[WIP] p/f')"
tried 6-star "$(escaped cat 'a*b')" "$(escaped by "$rules" cat 'a*b')"
tried 6-any "$(escaped cat axb)" "$(escaped by "$rules" cat axb)"
[ "$(escaped by "$rules" cat r/f)" = escaped ]
ok $? '6: control: what lies beside'

# 9: byte by byte
rules="  denyRead: [\"é\"]
  $all"
tried 9 "$(escaped cat é)" "$(escaped by "$rules" cat é)"
[ "$(escaped by "$rules" cat "$decomposed")" = escaped ]
ok $? '9: control: another spelling is another file'

# 3, 15, 16, 17: slashes, what comes later, a hole in a hole
rules="  denyRead: [\"r/a//\"]
  $all"
tried 3-rule "$(escaped ls r/a)" "$(escaped by "$rules" ls r/a)"
rules="  denyRead: [\"**/*.late\"]
  $all"
tried 16 escaped "$(escaped by "$rules" sh -c 'echo x >later/b.late')"
rm -f later/b.late
rules='  fsProfiles: {dev: {read: ["r/**", "!r/a/**", "r/a/b/**"], modify: ["r/**", "!r/a/**", "r/a/b/**"]}}'
tried 17 "$(escaped cat r/a/f)" "$(escaped by "$rules" cat r/a/f)"
[ "$(escaped by "$rules" sh -c 'echo x >>r/a/b/f && cat r/a/b/f')" = escaped ]
ok $? '17: control: what was opened again'

# 18: the last rule that matches
rules='  fsProfiles: {dev: {read: ["**", "!rule", "rule", "!rule"]}}'
tried 18 "$(escaped cat rule)" "$(escaped by "$rules" cat rule)"
rules='  fsProfiles: {dev: {read: ["**", "!rule", "rule"]}}'
[ "$(escaped by "$rules" cat rule)" = escaped ]
ok $? '18: control: allowed by the last one'

# 108: a list of nobody
rules='  fsProfiles: {dev: {read: ["**"], network: []}}'
port=$(sed -n 's/^tcp=//p' "$stage/w/facts")
connect="exec 3<>/dev/tcp/127.0.0.1/$port"
tried 108 "$(escaped bash -c "$connect")" \
    "$(escaped by "$rules" bash -c "$connect")"

# 103 to 109: what needs a proxy to be told apart is not started at all
got=$(escaped "$cordon" run --quiet --network example.org -- true)
tried 103 escaped "$got"
tried 104 escaped "$got"
tried 106 escaped "$got"
tried 107 escaped "$got"
tried 109 escaped "$got"
[ "$(escaped "$cordon" run --quiet --network 192.0.2.1 -- true)" = escaped ]
ok $? '103: control: an address is held'

# 23: what a rule grants becomes a link to what nobody granted, and back, while
# runs are started
rules='  fsProfiles: {dev: {read: ["turn/**"], modify: ["turn/**"]}}'
mkdir turn && echo mine >turn/f
(
	while :; do
		mv turn kept && ln -s "$stage/out" turn && rm turn &&
		    mv kept turn
	done
) 2>/dev/null &
turner=$!
leaked=0 opened=0 tries=$((5 * ${CORDON_TRIES:-1}))
for ((i = 0; i < tries; i++)); do
	got=$(by "$rules" cat turn/f "$stage/out/s/1/secret" 2>/dev/null)
	case $got in
	*SECRET*) leaked=$((leaked + 1)) ;;
	*mine*) opened=$((opened + 1)) ;;
	esac
done
kill "$turner" && wait "$turner" 2>/dev/null
echo "# 23: $tries starts, $opened times it was the directory"
[ "$leaked" -eq 0 ] && got=held || got=escaped
tried 23 escaped "$got"
