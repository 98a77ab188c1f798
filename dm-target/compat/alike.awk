# SPDX-License-Identifier: GPL-2.0-only
#
# alike.awk rules KERNEL LIST...: do the rules accept the facts of a kernel, compared with the lists
# of the reviewed kernels? Prints "alike", or the first fact that the rules refuse.

# rule_of: the first line of the rules that has the fact, or 0
function rule_of(fact,	r, i, pattern)
{
	for (r = 1; r <= rules; r++)
		for (i = 2; i <= split(line_of[r], pattern); i++)
			if (fact == pattern[i] || (pattern[i] ~ /\*$/ &&
			    index(fact, substr(pattern[i], 1, length(pattern[i]) - 1)) == 1))
				return r
	return 0
}

FNR == 1 { file++ }
file == 1 {
	sub(/#.*/, "")
	if (NF)
		line_of[++rules] = $0
	next
}
!($1 in rule) { name[++names] = $1; rule[$1] = rule_of($1) }
# A name with two declarations, in the two parts of an #if, equals no declaration of a list.
file == 2 && $1 in kernel { kernel[$1] = kernel[$1] " or " $0; next }
file == 2 { kernel[$1] = $0; next }
{ list[file, $1] = $0; lists_with[$1]++; listed[$0] }

# is_new: the kernel has the name, and no list has it
function is_new(fact) { return fact in kernel && !(fact in lists_with) }

# is_lost: all lists have the name, and the kernel lacks it
function is_lost(fact) { return !(fact in kernel) && lists_with[fact] == file - 2 }

function is_changed(fact) { return fact in kernel && !(kernel[fact] in listed) }

# first_unlike: the first fact of rule r that is new or lost, or, with "exactly", changed
function first_unlike(r, exactly,	i)
{
	for (i = 1; i <= names; i++)
		if (rule[name[i]] == r && is_new(name[i]))
			return name[i]
	for (i = 1; i <= names; i++)
		if (rule[name[i]] == r && (is_lost(name[i]) || (exactly && is_changed(name[i]))))
			return name[i]
	return ""
}

# count_unlike: the number of facts of rule r that differ from list l; "unlike" is the first of them
function count_unlike(r, l,	i, n)
{
	for (i = names; i; i--)
		if (rule[name[i]] == r && kernel[name[i]] != list[l, name[i]]) {
			n++
			unlike = name[i]
		}
	return n
}

# nearest_unlike: the first fact that differs from the list with the fewest differences
function nearest_unlike(r,	l, n, fewest, found)
{
	for (l = 3; l <= file; l++) {
		unlike = ""
		n = count_unlike(r, l)
		if (!n)
			return ""
		if (!fewest || n < fewest) {
			fewest = n
			found = unlike
		}
	}
	return found
}

# refused: the first fact that rule r refuses. A rule of an unknown kind counts as exact.
function refused(r,	word, found)
{
	split(line_of[r], word)
	if (word[1] == "ignored")
		return ""
	found = first_unlike(r, word[1] != "union" && word[1] != "group")
	return found == "" && word[1] == "group" ? nearest_unlike(r) : found
}

END {
	line_of[0] = "exact"	# the rule for a fact that no line of the rules has
	for (r = 0; r <= rules && found == ""; r++)
		found = refused(r)
	print (found == "" ? "alike" : found)
}
