# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# bash completion for noclone(8): "noclone __complete" finds the candidates.
#
# Candidates and words of the command line are data: they are never expanded or evaluated.

# _noclone_quote WORD: set quoted to a word that the shell reads as WORD. printf quotes a comma,
# which means nothing outside of braces. The backslash is removed, so that the text before a comma
# stays as the user has typed it.
_noclone_quote()
{
	printf -v quoted %q "$1"
	quoted=${quoted//\\,/,}
}

_noclone()
{
	local line=$COMP_LINE candidate quoted word open before i
	local -a words=()

	# bash has also split words at "=" and ":"
	for ((i = 0; i <= COMP_CWORD; i++)); do
		if ((i == 0)) || [[ $line == [[:blank:]]* ]]; then
			words+=('')
		fi
		line=${line#"${line%%[![:blank:]]*}"}
		line=${line#"${COMP_WORDS[i]}"}
		words[-1]+=${COMP_WORDS[i]}
	done
	word=${words[-1]}
	open=${word%%[!\"\']*}
	# bash keeps the text up to the last "=" or ":", and replaces the rest
	before=${word%"${word##*[=:]}"}

	COMPREPLY=()
	while IFS= read -r line; do
		candidate=${line%%$'\t'*}
		_noclone_quote "$candidate"
		if [[ ! $candidate ]]; then
			compopt -o default
		elif [[ $open && $candidate == "${word#"$open"}"* ]]; then
			# inside of quotes, readline quotes the word itself
			compopt -o filenames
			COMPREPLY+=("$candidate")
		elif [[ $quoted == "$word"* ]]; then
			COMPREPLY+=("${quoted#"$before"}")
		elif [[ $candidate == "$word"* ]]; then
			_noclone_quote "${candidate#"$before"}"
			COMPREPLY+=("$quoted")
		fi
	done < <(noclone __complete "$((${#words[@]} - 1))" "${words[@]}" 2>/dev/null)
}

complete -F _noclone noclone
