#compdef noclone
# SPDX-License-Identifier: GPL-2.0-only
# zsh completion for noclone(8): "noclone __complete" finds the candidates.

local line word ret=1
local -a before names shown layout
local -i files=0

before=("${(@Q)words[1,CURRENT]}")
for line in "${(@f)$(noclone __complete $((CURRENT - 1)) "$before[@]" 2>/dev/null)}"; do
	word=${line%%$'\t'*}
	if [[ -n $word ]]; then
		names+=("$word")
		shown+=("${line/$'\t'/  -- }")
		[[ $word == "$line" ]] || layout=(-l)
	elif [[ -n $line ]]; then
		files=1
	fi
done
compadd $layout -d shown -a names && ret=0
((files)) && _files && ret=0
return ret
