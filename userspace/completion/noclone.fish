# SPDX-License-Identifier: GPL-2.0-only
# fish completion for noclone(8): "noclone __complete" finds the candidates.

# A line that begins with a tab stands for file names.
function __noclone_complete
	set --local words (commandline --tokenize --cut-at-cursor --current-process)
	noclone __complete (count $words) $words (commandline --current-token --cut-at-cursor) 2>/dev/null
end

function __noclone_wants_files
	__noclone_complete | string match --quiet --regex '^\t'
end

complete --command noclone --no-files --arguments '(__noclone_complete | string match --regex "^[^\t].*")'
complete --command noclone --condition __noclone_wants_files --force-files
