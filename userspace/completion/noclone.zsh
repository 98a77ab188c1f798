#compdef noclone
# SPDX-License-Identifier: GPL-2.0-only
# zsh completion for noclone(8), made by "noclone help --completion=zsh"

typeset -ga _noclone_list=(
	'create:create a mapped device'
	'reload:give a running device a new table'
	'remove:remove devices'
	'save:keep devices with their tables, so that they come back at boot'
	'activate:bring saved devices back'
	'deactivate:remove saved devices that nobody uses; they stay saved'
	'resize:make a running device larger or smaller'
	'enable:give devices the fast path, whatever made them; their tables stay'
	'disable:take the fast path from devices again'
	'convert:exchange the targets of running devices\: stock ones for this module'\''s, or back'
	'list:list devices'
	'status:print fast path, engine and counters; without names, a line for each device'
	'table:print the live tables'
	'info:print state, device numbers and open counts'
	'check:check table files for mistakes'
	'explain:describe a table in words and as a diagram'
	'export:print the equivalent stock tables, for dmsetup create --concise'
	'doctor:say what keeps this machine from using the fast path, and the fix'
	'advise:propose a table for devices, and say whether the fast path will show'
	'bench:compare devices raw, through stock dm and through noclone'
	'help:print help for a command'
	'version:print the versions of the tool, libdevmapper and the module'
)

typeset -gA _noclone_options=(
	--table '*--table=[take the table from FILE (- is stdin)]:FILE:_files'
	-t '*-t+[take the table from FILE (- is stdin)]:FILE:_files'
	--chunk '*--chunk=[chunk of a striped device, for example 64K]:SIZE: '
	-c '*-c+[chunk of a striped device, for example 64K]:SIZE: '
	--engine '*--engine=[engine of noclone-file: direct (default), extent, buffered or sync; reload keeps the current one]:ENGINE:(direct extent buffered sync)'
	-e '*-e+[engine of noclone-file: direct (default), extent, buffered or sync; reload keeps the current one]:ENGINE:(direct extent buffered sync)'
	--start '*--start=[first sector used in the backing file]:SECTORS: '
	--size '*--size=[create the file, or grow it to this size]:SIZE: '
	--allocate '*--allocate[fill holes and unwritten extents of the file with zeroes]'
	--sparse '*--sparse[let the new part of a file be a hole]'
	--resizefs '*--resizefs[resize the file system on the device as well]'
	--shrink '*--shrink[permit a SIZE that is less than the device has]'
	--no-fastpath '*--no-fastpath[let dm core clone every I/O]'
	--readonly '*--readonly[make the device read-only]'
	-r '*-r[make the device read-only]'
	--uuid '*--uuid=[DM UUID; NOCLONE- is prepended if it is missing]:UUID: '
	-u '*-u+[DM UUID; NOCLONE- is prepended if it is missing]:UUID: '
	--persist '*--persist[save the device, so that it comes back at boot]'
	--forget '*--forget[remove the file of a saved device as well]'
	--strict '*--strict[without the module fail, instead of using dm'\''s own targets and loop devices]'
	--retry '*--retry[retry for some seconds while the device is in use]'
	--all '*--all[all devices; with list, also those without a target of this module; with activate and deactivate, all that are saved]'
	-a '*-a[all devices; with list, also those without a target of this module; with activate and deactivate, all that are saved]'
	--now '*--now[act on devices now, until the next boot, instead of editing the policy]'
	--policy '*--policy[as the policy says]'
	--include '*--include=[add a rule to the policy: devices of that name get the fast path]:PATTERN: '
	--exclude '*--exclude=[add a rule to the policy: devices of that name do not get it]:PATTERN: '
	--to '*--to=[noclone (default) or stock]:TARGETS:(noclone stock)'
	--watch '*--watch=-[repeat, with rates per second (default 2)]::SECONDS: '
	-w '*-w-[repeat, with rates per second (default 2)]::SECONDS: '
	--noheadings '*--noheadings[print no line of headings]'
	--prometheus '*--prometheus[print metrics for the textfile collector of node_exporter]'
	--numbers '*--numbers[write devices as major:minor]'
	--persistent '*--persistent[write devices by names that survive a reboot]'
	--seconds '*--seconds=[duration of each run, for example 0.5 (default 2); with advise, of each device]:S: '
	--measure '*--measure[read from each device for --seconds; writes nothing]'
	--output '*--output=[print these columns]:COLUMNS:_files'
	-o '*-o+[print these columns]:COLUMNS:_files'
	--force '*--force[continue although a check failed]'
	-f '*-f[continue although a check failed]'
	--yes '*--yes[answer questions with yes]'
	-y '*-y[answer questions with yes]'
	--dry-run '*--dry-run[print what would be done and change nothing]'
	-n '*-n[print what would be done and change nothing]'
	--quiet '*--quiet[print problems only]'
	-q '*-q[print problems only]'
	--json '*--json[print JSON]'
	-j '*-j[print JSON]'
	--noudevsync '*--noudevsync[do not wait for udev]'
	--udev-timeout '*--udev-timeout=[wait for udev at most this long (default 30)]:SECONDS: '
	--completion '*--completion=-[print the completion script for bash (default), zsh or fish]::SHELL:(bash zsh fish)'
	--verbose '*--verbose[print more messages]'
	-v '*-v[print more messages]'
	--debug '*--debug[print all messages, also those of libdevmapper]'
	--help '*--help[print help for the command]'
	-h '*-h[print help for the command]'
	--version '*--version[print the version]'
	-V '*-V[print the version]'
	'status --output' '*--output=[print these columns]:COLUMNS:_values -s , word NAME TYPE MADE-BY STATE IO FAST SHARE REASON WHY'
	'status -o' '*-o+[print these columns]:COLUMNS:_values -s , word NAME TYPE MADE-BY STATE IO FAST SHARE REASON WHY'
)

typeset -gA _noclone_takes=(
	create ' --table -t --chunk -c --engine -e --start --size --allocate --no-fastpath --readonly -r --uuid -u --persist --force -f --dry-run -n --json -j --noudevsync --udev-timeout --verbose -v --debug --help -h --version -V'
	reload ' --table -t --chunk -c --engine -e --start --size --allocate --no-fastpath --readonly -r --persist --force -f --yes -y --dry-run -n --json -j --noudevsync --udev-timeout --verbose -v --debug --help -h --version -V'
	remove ' --forget --retry --force -f --dry-run -n --json -j --noudevsync --udev-timeout --verbose -v --debug --help -h --version -V'
	save ' --force -f --dry-run -n --json -j --verbose -v --debug --help -h --version -V'
	activate ' --strict --all -a --force -f --dry-run -n --json -j --noudevsync --udev-timeout --verbose -v --debug --help -h --version -V'
	deactivate ' --all -a --force -f --dry-run -n --json -j --noudevsync --udev-timeout --verbose -v --debug --help -h --version -V'
	resize ' --allocate --sparse --resizefs --shrink --force -f --yes -y --dry-run -n --json -j --noudevsync --udev-timeout --verbose -v --debug --help -h --version -V'
	enable ' --all -a --now --policy --include --exclude --dry-run -n --json -j --verbose -v --debug --help -h --version -V'
	disable ' --all -a --now --include --exclude --dry-run -n --json -j --verbose -v --debug --help -h --version -V'
	convert ' --to --dry-run -n --json -j --noudevsync --udev-timeout --verbose -v --debug --help -h --version -V'
	list ' --all -a --json -j --verbose -v --debug --help -h --version -V'
	status ' --watch -w --noheadings --prometheus --output -o --json -j --verbose -v --debug --help -h --version -V'
	table ' --numbers --persistent --json -j --verbose -v --debug --help -h --version -V'
	info ' --json -j --verbose -v --debug --help -h --version -V'
	check ' --json -j --verbose -v --debug --help -h --version -V'
	explain ' --json -j --verbose -v --debug --help -h --version -V'
	export ' --numbers --json -j --verbose -v --debug --help -h --version -V'
	doctor ' --quiet -q --json -j --verbose -v --debug --help -h --version -V'
	advise ' --seconds --measure --json -j --verbose -v --debug --help -h --version -V'
	bench ' --chunk -c --seconds --dry-run -n --json -j --verbose -v --debug --help -h --version -V'
	help ' --completion --verbose -v --debug --help -h --version -V'
	version ' --json -j --verbose -v --debug --help -h --version -V'
)

typeset -gA _noclone_kind=(
	create create
	reload reload
	remove name
	save name
	activate saved
	deactivate saved
	resize resize
	enable device
	disable device
	convert name
	list none
	status device
	table name
	info name
	check file
	explain name
	export name
	doctor none
	advise file
	bench file
	help command
	version none
)

_noclone_names()
{
	local node

	for node in /sys/block/dm-*/dm/name(N); do
		compadd -- "$(<$node)"
	done
}

# Logical volumes by their own names, too; a hidden layer of one has a longer UUID.
_noclone_devices()
{
	local node name uuid

	_noclone_names
	for node in /sys/block/dm-*/dm(N); do
		uuid=$(<$node/uuid) name=$(<$node/name)
		[[ $uuid == LVM-* && ${#uuid} -eq 68 ]] || continue
		name=${name//--/$'\1'}
		name=${name/-/\/}
		compadd -- "${name//$'\1'/-}"
	done
}

_noclone_saved()
{
	compadd -- /etc/noclone/*.table(N:t:r)
}

_noclone_commands()
{
	_describe command _noclone_list
}

# The command is the first of these words.
_noclone_command()
{
	local -a others specs
	local option

	case $_noclone_kind[$words[1]] in
	name) others=('*:device:_noclone_names') ;;
	device) others=('*:device:_noclone_devices') ;;
	saved) others=('*:device:_noclone_saved') ;;
	file) others=('*:file:_files') ;;
	create) others=('1:name: ' '2:target:(linear striped file)' '*:device:_files') ;;
	reload) others=('1:device:_noclone_names' '2:target:(linear striped file)' '*:device:_files') ;;
	resize) others=('1:device:_noclone_names' '2:size:(max)' '*:device:_files') ;;
	command) others=('1:command:_noclone_commands') ;;
	esac
	for option in ${=_noclone_takes[$words[1]]}; do
		specs+=("${_noclone_options[$words[1] $option]:-$_noclone_options[$option]}")
	done
	_arguments $specs $others
}

_noclone()
{
	local curcontext=$curcontext state line ret=1
	local -A opt_args

	_arguments -C '1:command:_noclone_commands' '*::word:->words' && ret=0
	[[ $state == words ]] && _noclone_command && ret=0
	return ret
}

_noclone "$@"
