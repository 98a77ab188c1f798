# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# bash completion for noclone(8), made by "noclone help --completion"

declare -a _noclone_commands=(create reload remove save activate deactivate resize enable disable convert list status table info check explain export doctor advise bench help version)
declare -a _noclone_takes_value=(" --table -t --chunk -c --engine -e --start --size --uuid -u --include --exclude --to --rounds --seconds --yes-destroy --output -o --compare --udev-timeout ")
declare -A _noclone_choices=(
	["create --engine"]="direct extent buffered sync"
	["create -e"]="direct extent buffered sync"
	["reload --engine"]="direct extent buffered sync"
	["reload -e"]="direct extent buffered sync"
	["convert --to"]="noclone stock"
	["status --output"]="NAME TYPE MADE-BY STATE IO FAST SHARE REASON WHY"
	["status -o"]="NAME TYPE MADE-BY STATE IO FAST SHARE REASON WHY"
	["help --completion"]="bash zsh fish"
)
declare -A _noclone_kind=(
	[create]=create
	[reload]=reload
	[remove]=name
	[save]=name
	[activate]=saved
	[deactivate]=saved
	[resize]=resize
	[enable]=device
	[disable]=device
	[convert]=name
	[list]=none
	[status]=device
	[table]=name
	[info]=name
	[check]=file
	[explain]=name
	[export]=name
	[doctor]=none
	[advise]=file
	[bench]=file
	[help]=command
	[version]=none
)
declare -A _noclone_options=(
	[create]="--table --chunk --engine --start --size --allocate --no-fastpath --readonly --uuid --persist --force --dry-run --json --noudevsync --udev-timeout --verbose --debug --help --version"
	[reload]="--table --chunk --engine --start --size --allocate --no-fastpath --readonly --persist --force --yes --dry-run --json --noudevsync --udev-timeout --verbose --debug --help --version"
	[remove]="--forget --retry --force --dry-run --json --noudevsync --udev-timeout --verbose --debug --help --version"
	[save]="--force --dry-run --json --verbose --debug --help --version"
	[activate]="--strict --all --force --dry-run --json --noudevsync --udev-timeout --verbose --debug --help --version"
	[deactivate]="--all --force --dry-run --json --noudevsync --udev-timeout --verbose --debug --help --version"
	[resize]="--allocate --sparse --resizefs --shrink --force --yes --dry-run --json --noudevsync --udev-timeout --verbose --debug --help --version"
	[enable]="--all --now --policy --include --exclude --dry-run --json --verbose --debug --help --version"
	[disable]="--all --now --include --exclude --dry-run --json --verbose --debug --help --version"
	[convert]="--to --dry-run --json --noudevsync --udev-timeout --verbose --debug --help --version"
	[list]="--all --json --verbose --debug --help --version"
	[status]="--watch --noheadings --prometheus --output --json --verbose --debug --help --version"
	[table]="--numbers --persistent --json --verbose --debug --help --version"
	[info]="--json --verbose --debug --help --version"
	[check]="--json --verbose --debug --help --version"
	[explain]="--json --verbose --debug --help --version"
	[export]="--numbers --json --verbose --debug --help --version"
	[doctor]="--quiet --json --verbose --debug --help --version"
	[advise]="--seconds --measure --json --verbose --debug --help --version"
	[bench]="--chunk --rounds --seconds --write --yes-destroy --output --compare --dry-run --json --noudevsync --udev-timeout --verbose --debug --help --version"
	[help]="--completion --verbose --debug --help --version"
	[version]="--json --verbose --debug --help --version"
)

_noclone_names()
{
	local node

	for node in /sys/block/dm-*/dm/name; do
		[[ -r $node ]] && printf '%s\n' "$(<"$node")"
	done
}

# Logical volumes by their own names, too; a hidden layer of one has a longer UUID.
_noclone_devices()
{
	local node name uuid

	_noclone_names
	for node in /sys/block/dm-*/dm; do
		[[ -r $node/uuid ]] || continue
		uuid=$(<"$node/uuid") name=$(<"$node/name")
		[[ $uuid == LVM-* && ${#uuid} == 68 ]] || continue
		name=${name//--/$'\1'}
		name=${name/-//}
		printf '%s\n' "${name//$'\1'/-}"
	done
}

_noclone_saved()
{
	local file

	for file in /etc/noclone/*.table; do
		[[ -e $file ]] && basename "$file" .table
	done
}

# What the next word of a command may be.
_noclone_words()
{
	local kind=$1 index=$2

	case $kind in
	name) _noclone_names ;;
	device) _noclone_devices ;;
	saved) _noclone_saved ;;
	file) compgen -f -- "$cur" ;;
	command) printf '%s\n' "${_noclone_commands[@]}" ;;
	resize)
		case $index in
		0) _noclone_names ;;
		1) printf '%s\n' max ;;
		*) compgen -f -- "$cur" ;;
		esac
		;;
	create | reload)
		case $index in
		0) [[ $kind == reload ]] && _noclone_names ;;
		1) printf '%s\n' linear striped file ;;
		*) compgen -f -- "$cur" ;;
		esac
		;;
	esac
}

# Those of standard input that begin with $cur, as they are or as they have been quoted.
# compgen -W would expand them: a name may have $(...) in it.
_noclone_propose()
{
	local word quoted

	while IFS= read -r word; do
		printf -v quoted %q "$word"
		[[ $word == "$cur"* || $quoted == "$cur"* ]] && COMPREPLY+=("$word")
	done
}

_noclone()
{
	local cur=${COMP_WORDS[COMP_CWORD]} command='' index=-1 i previous choices before=''
	local IFS=$' \t\n'

	for ((i = 1; i < COMP_CWORD; i++)); do
		[[ ${COMP_WORDS[i]} == -* ]] && continue
		[[ ${_noclone_takes_value[*]} == *" ${COMP_WORDS[i - 1]} "* ]] && continue
		if [[ -z $command ]]; then
			command=${COMP_WORDS[i]}
		fi
		index=$((index + 1))
	done

	# "=" is a word of its own, as in --to=stock
	previous=${COMP_WORDS[COMP_CWORD - 1]}
	[[ $cur == = ]] && cur=''
	[[ $previous == = ]] && previous=${COMP_WORDS[COMP_CWORD - 2]}
	choices=${_noclone_choices[$command $previous]-}
	# the last one of a list with commas
	[[ $choices && $cur == *[,+]* ]] && before=${cur%"${cur##*[,+]}"}

	if [[ $choices ]]; then
		mapfile -t COMPREPLY < <(compgen -P "$before" -W "$choices" -- "${cur#"$before"}")
	elif [[ ${_noclone_takes_value[*]} == *" $previous "* ]]; then
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
	elif [[ -z $command ]]; then
		mapfile -t COMPREPLY < <(compgen -W "${_noclone_commands[*]}" -- "$cur")
	elif [[ $cur == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "${_noclone_options[$command]}" -- "$cur")
	else
		COMPREPLY=()
		_noclone_propose < <(_noclone_words "${_noclone_kind[$command]}" "$index")
	fi
}

complete -o filenames -o bashdefault -F _noclone noclone
