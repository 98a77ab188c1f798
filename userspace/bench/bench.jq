# SPDX-License-Identifier: GPL-2.0-only
#
# The arithmetic of "noclone bench": it turns the output of fio into medians, their noise, and one
# sentence. Medians are used, so that one disturbed run does not change the result.

# measures: read the JSON of fio. It has the CPU time in percent of the run time of all jobs. One
# percent of a millisecond is 1e-5 s, so a million I/Os make this a factor of 10.
def measures:
	.jobs[0]
	| (if .read.total_ios >= .write.total_ios then .read else .write end) as $io
	| if $io.total_ios == 0 then error("fio did no I/O at all: more --seconds are needed")
	  else (."job options" | {
		engine: .ioengine, iodepth: (.iodepth // 1 | tonumber),
		jobs: (.numjobs // 1 | tonumber)
	  }) + {
		ios: $io.total_ios,
		iops: $io.iops,
		latency_us: ($io.lat_ns.mean / 1000),
		cpu_s_per_million: ((.usr_cpu + .sys_cpu) * .job_runtime * 10 / $io.total_ios),
		switches_per_io: (.ctx / $io.total_ios),
		us_per_io: (1000000 / $io.iops)
	  } end;

def names: ["iops", "latency_us", "cpu_s_per_million", "switches_per_io", "us_per_io"];

def median:
	sort | (length / 2 | floor) as $half
	| if length % 2 == 1 then .[$half] else (.[$half - 1] + .[$half]) / 2 end;

# figure: the median and the spread, which is the median absolute deviation.
def figure: median as $median | {$median, spread: (map(. - $median | fabs) | median)};

# verdict: compare the difference with the noise, which is twice the spread of both sides. If the
# noise has a normal distribution and there is no real difference, one comparison of 90 with 7
# rounds exceeds the noise.
def verdict($stock; $ours):
	($ours.median - $stock.median) as $us
	| (2 * ($ours.spread + $stock.spread)) as $noise
	| {
		difference: (if ($us | fabs) <= $noise then "none" elif $us < 0 then "less" else "more" end),
		$us, $noise,
		percent: (if $stock.median > 0 then 100 * $us / $stock.median else 0 end)
	};

# fixed: print a number with two decimals, or a large number without decimals.
def fixed: if fabs >= 1000 then round | tostring else
	(. * 100 | round) as $n | ($n | fabs) as $size
	| (if $n < 0 then "-" else "" end) + ($size / 100 | floor | tostring) + "." +
	  ($size % 100 + 100 | tostring | .[1:]) end;

def title:
	"\(.block_size / 1024)K random reads, queue depth \(.iodepth), \(.engine)" +
	(if .jobs > 1 then ", \(.jobs) jobs" else "" end);

def row($runs):
	[names[] as $name | {($name): ($runs | map(.[$name]) | figure)}] | add
	| {row: $runs[0].row, target: $runs[0].target} + . + {rounds: ($runs | map(del(.row, .target)))};

# workload: collect the runs of one load. The runs of a row are in the order of their rounds.
def workload:
	(.[0] | {block_size, engine, iodepth, jobs}) as $load
	| map(del(.block_size, .engine, .iodepth, .jobs)) as $runs
	| [("raw", "stock", "noclone") as $row | row([$runs[] | select(.row == $row)])] as $rows
	| $load + {
		title: ($load | title), $rows,
		time: verdict($rows[1].us_per_io; $rows[2].us_per_io),
		processor: verdict($rows[1].cpu_s_per_million; $rows[2].cpu_s_per_million)
	};

# fastpath: is the fast path used, by the status line of a device of ours? udev reads a new device,
# so a few I/Os may take the other path.
def fastpath:
	split(" ") as $word | ($word | index("fastpath") + 1) as $at
	| ([range($at + 2; $at + 2 + ($word[$at + 1] | tonumber); 2) as $i
	    | {($word[$i]): ($word[$i + 1] | tonumber)}] | add) as $counters
	| ([$counters | .fast, .reserve, .gathered | . // 0] | add) as $fast
	| (if $fast > 0 then $fast / ($fast + $counters.clones) else 0 end) as $share
	| ($word[$at] | split(":")) as $state
	| {used: ($state[0] == "on" and $share >= 0.99), on: ($state[0] == "on"), reason: $state[1],
	   $share, $counters};

# measured: the second half of the sentence, with the figures.
def measured:
	.rows[1] as $stock | .rows[2] as $ours
	| "with \(.title) an I/O takes \($ours.us_per_io.median | fixed) us, on stock " +
	  "\($stock.us_per_io.median | fixed) us (noise \(.time.noise | fixed) us), and " +
	  "\($ours.cpu_s_per_million.median | fixed) us of processor time, on stock " +
	  "\($stock.cpu_s_per_million.median | fixed) us (noise \(.processor.noise | fixed) us).";

# processor_percent: the processor time in percent of the time that an I/O takes, for one CPU.
def processor_percent: -100 * .processor.us / .rows[1].us_per_io.median;

# worth: judge the figures. Less than 1 % of the time of an I/O does not matter, even if it is
# certain.
def worth:
	def found($answer; $text; loads; by):
		[.workloads[] | select(loads)] | select(length > 0) | max_by(by)
		| {$answer, workload: .title, text: ($text + measured)};
	if .fastpath.used | not then
		{answer: "unknown", workload: null,
		 text: "It is not known whether the fast path is worth it here: not all I/O took it."}
	else first(
		found("worse"; "The fast path is not worth it here: ";
		      .time.difference == "more" and .time.percent >= 1; .time.percent),
		found("yes"; "The fast path is worth it here: ";
		      .time.difference == "less" and .time.percent <= -1; -.time.percent),
		found("processor"; "The fast path saves only processor time here: ";
		      .processor.difference == "less" and processor_percent >= 1; processor_percent),
		found("no"; "The fast path does not matter here: even "; true;
		      -.rows[1].us_per_io.median)
	) end;

# report: make the report from all runs in their order, and from the settings that all runs share.
def report($setting; $status):
	$setting + {
		workloads: (group_by(.iodepth * .jobs) | map(workload)),
		fastpath: ($status | fastpath)
	} | . + {worth: worth};

# blanks: a string of blanks. jq returns null for a string that is repeated 0 times.
def blanks($width): (" " * ([$width - length, 0] | max)) // "";
def left($width): . + blanks($width);
def right($width): blanks($width) + .;

def verdict_text:
	if .difference == "none" then
		"no difference beyond the noise (\(.us | fixed) us, noise \(.noise | fixed) us)"
	else
		"\(.us | fabs | fixed) us \(.difference) per I/O than stock (\(.percent | fabs | fixed) %), " +
		"noise \(.noise | fixed) us"
	end;

def cell: "\(.median | fixed | right(11)) +-\(.spread | fixed | right(8))";

def workload_text:
	"", .title,
	("" | left(17)) + (["IOPS", "latency, us", "CPU s per 1e6", "switches per I/O"]
			   | map(right(21)) | join("")),
	(.rows[] | "  " + (.target // .row | left(15)) +
		   ([.iops, .latency_us, .cpu_s_per_million, .switches_per_io] | map(cell) | join(""))),
	"  time:          \(.time | verdict_text)",
	"  processor:     \(.processor | verdict_text)";

def fastpath_text:
	if .on | not then
		"The fast path was NOT used: off:\(.reason). The numbers do not measure it."
	else
		"\(100 * .share | fixed) % of the I/O took the fast path" +
		if .used then "." else
			"; the numbers are a mixture: " + ([.counters | to_entries[] | select(.value > 0)
			| "\(.key) \(.value)"] | join(", ")) + "."
		end
	end;

# text: print the report for people.
def text:
	"\([.devices[].path] | join(", ")): Linux \(.kernel), module \(.module), \(.fio), " +
	"\(.rounds) rounds of \(.seconds) s",
	(.workloads[] | workload_text),
	"", (.fastpath | fastpath_text), .worth.text;
