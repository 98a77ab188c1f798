# SPDX-License-Identifier: GPL-2.0-only
#
# facts.awk: read the kernel's headers from standard input, and print the facts that known-kernel
# compares, one a line: a name and its declaration, or its number. No fact depends on the
# configuration: all parts of an #if are read, except those that only the kernel's check of symbol
# versions reads.

function trim(string)
{
	gsub(/^[ \t]+|[ \t]+$/, "", string)
	return string
}

function fact(name, declaration)
{
	if (!printed[name, declaration]++)
		print name " " declaration
}

# ---- read lines ----

# without_comments: the line without comments. A comment in /* */ may end in a later line.
function without_comments(line,		kept, i)
{
	while (line != "") {
		i = index(line, in_comment ? "*/" : "/*")
		if (!in_comment)
			kept = kept (i ? substr(line, 1, i - 1) " " : line)
		if (!i)
			break
		in_comment = !in_comment
		line = substr(line, i + 2)
	}
	sub(/\/\/.*/, "", kept)
	return kept
}

# read_directive: vendors keep the checksums of symbols by "#ifdef __GENKSYMS__", the old
# declaration, "#else", the real declaration, "#endif". Only the real one is read.
function read_directive(line)
{
	if (line ~ /^[ \t]*#[ \t]*if/) {
		depth++
		if (!genksyms_depth && line ~ /__GENKSYMS__/) {
			genksyms_depth = depth
			hidden = line !~ /ifndef|![ \t]*defined/
		}
	} else if (line ~ /^[ \t]*#[ \t]*el/ && depth == genksyms_depth) {
		hidden = !hidden
	} else if (line ~ /^[ \t]*#[ \t]*endif/) {
		if (depth == genksyms_depth)
			hidden = genksyms_depth = 0
		depth--
	} else if (line ~ /^#define[ \t]+REQ_OP_BITS[ \t]/) {
		split(line, word)
		value[word[2]] = word[3]
	}
}

# Macros whose text is a fact. "string" has all lines of one.
function read_macro(string)
{
	if (string !~ /^#define[ \t]+part_stat_local_(inc|dec)\(/)
		return
	gsub(/[ \t]+/, " ", string)
	split(string, word, /[ (]/)
	macro[word[2]] = trim(string)
}

{ line = without_comments($0) }
in_directive || line ~ /^[ \t]*#/ {
	if (!in_directive)
		read_directive(line)
	directive = (in_directive ? directive : "") line
	in_directive = sub(/\\$/, " ", directive)
	if (!in_directive)
		read_macro(directive)
	next
}
!hidden { block = block " " line }
length(block) > 4096 { text = text block; block = "" }

# ---- split declarations ----

# body: the text between { and }, including the members of unions
function body(start,	depth, i, c)
{
	i = index(text, start)
	if (!i)
		return ""
	start = i += index(start, "{")
	for (depth = 1; depth && (c = substr(text, i, 1)) != ""; i++)
		depth += (c == "{") - (c == "}")
	return substr(text, start, i - start - 1)
}

# cut: split the string at each separator outside of parentheses, into piece[1] and so on. At a ")"
# without its "(" the function stops, and the last piece is the whole rest of the string. Return:
# the number of pieces
function cut(string, separators,	n, i, c, depth, start)
{
	start = 1
	for (i = 1; depth >= 0 && (c = substr(string, i, 1)) != ""; i++) {
		depth += (c == "(") - (c == ")")
		if (depth < 0 || (!depth && index(separators, c))) {
			piece[++n] = trim(substr(string, start, i - start))
			start = i + 1
		}
	}
	piece[++n] = trim(substr(string, start))
	return n
}

# kabi_members: the members in the arguments of a macro such as RH_KABI_USE(1, 2, u64 member) or
# ANDROID_KABI_REPLACE(u32 old, u64 member); without members, the name of the macro, which no list
# has
function kabi_members(macro, n,		i, found)
{
	if (macro ~ /_RESERVE/)
		return ""
	if (macro !~ /_(USE|REPLACE|EXTEND|FILL_HOLE)/)
		return macro
	for (i = macro ~ /_REPLACE/ ? 2 : 1; i < n; i++)
		if (piece[i] !~ /^[0-9]*$/)
			found = found piece[i] ";"
	return found
}

# open_kabi: replace the macros of enterprise kernels. A member that is only reserved is left out,
# and a member that uses a reserved place is kept. The text may have no semicolon behind a macro,
# because the macro itself has one.
function open_kabi(all,		before, macro, n)
{
	while (match(all, /[A-Z0-9_]*KABI_[A-Z0-9_]* *\(/)) {
		before = substr(all, 1, RSTART - 1)
		macro = substr(all, RSTART, RLENGTH - 1)
		n = cut(substr(all, RSTART + RLENGTH), ",")
		# the last piece is what follows the macro
		all = before ";" kabi_members(macro, n) ";" piece[n]
	}
	return all
}

function member_name(declaration)
{
	if (match(declaration, /^[A-Z][A-Z0-9_]*\(/))
		return substr(declaration, 1, RLENGTH - 1)
	if (match(declaration, /\(\*[a-z_0-9]+\)/))
		return substr(declaration, RSTART + 2, RLENGTH - 3)
	sub(/ *[:[].*/, "", declaration)
	sub(/.*[ *]/, "", declaration)
	return declaration
}

# members: add a fact for each member of the struct whose name is a word of "wanted"; without
# "wanted", for all members
function members(type, wanted,		all, n, i, name)
{
	all = open_kabi(body("struct " type " {"))
	gsub(/(union|struct) *[a-z_0-9]* *\{|\}/, ";", all)
	n = cut(all, ";,")
	for (i = 1; i <= n; i++) {
		name = member_name(piece[i])
		if (name == "" || name ~ /kabi_(padding|reserved)_?[0-9]*$/)
			continue
		if (!wanted || index(" " wanted " ", " " name " "))
			fact(type "." name, piece[i])
	}
}

# number_of: the number of an enumerator such as "A = 3", "A = (__force blk_opf_t)3" or "A = B".
# "last" is the number of the enumerator before it. Another kind of expression stays as it is.
function number_of(enumerator, last,	expression)
{
	expression = enumerator
	if (!sub(/[^=]*=/, "", expression))
		return last + 1
	sub(/\(__force [a-z_]+\)/, "", expression)
	expression = trim(expression)
	return expression in value ? value[expression] : expression
}

function enumerators(start,	n, i, number, name)
{
	number = -1
	n = cut(body(start), ",")
	for (i = 1; i <= n; i++) {
		name = piece[i]
		sub(/[ =].*/, "", name)
		if (name == "")
			continue
		number = value[name] = number_of(piece[i], number)
		fact(name, number)
	}
}

function prototype(name,	start, end)
{
	start = index(text, " " name "(")
	if (!start)
		return
	end = start + index(substr(text, start), ";") - 1
	while (start > 1 && !index(";{}", substr(text, start - 1, 1)))
		start--
	fact(name, trim(substr(text, start, end - start)))
}

# definition: the whole text of a function that a header defines, because the module has code of its
# own in place of this function
function definition(name,	start)
{
	if (!match(text, " " name "[(][^)]*[)] [{]"))
		return
	start = substr(text, RSTART, RLENGTH)
	fact(name, trim(start) body(start) "}")
}

function macro_text(name)
{
	if (name in macro)
		fact(name, macro[name])
}

function mention(name)
{
	if (index(text, name "("))
		fact(name, "is there")
}

END {
	text = text block
	gsub(/[ \t]+/, " ", text)
	fact("REQ_OP_BITS", value["REQ_OP_BITS"])
	enumerators("enum { BIO_")
	enumerators("enum req_op {")
	enumerators("enum req_flag_bits {")
	members("bio")
	members("bvec_iter")
	members("block_device_operations")
	members("gendisk", "fops queue part0")
	members("target_type")
	members("dm_target")
	members("block_device", "bd_disk bd_queue bd_stats bd_stamp")
	members("disk_stats")
	members("blk_plug", "mq_list nr_ios rq_count")
	members("request", "q nr_phys_segments")
	prototype("bdev_start_io_acct")
	prototype("bdev_end_io_acct")
	prototype("bio_associate_blkg")
	prototype("bio_clone_blkg_association")
	definition("bio_set_dev")
	macro_text("part_stat_local_inc")
	macro_text("part_stat_local_dec")
	mention("blk_get_iostat_ticks")
	mention("blk_queue_precise_io_stat")
}
