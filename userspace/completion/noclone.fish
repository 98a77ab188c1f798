# SPDX-License-Identifier: GPL-2.0-only
# fish completion for noclone(8), made by "noclone help --completion=fish"

function __noclone_names
	for node in /sys/block/dm-*/dm/name
		read --local name <$node
		and echo $name
	end
end

# Logical volumes by their own names, too; a hidden layer of one has a longer UUID.
function __noclone_devices
	__noclone_names
	for node in /sys/block/dm-*/dm
		read --local uuid <$node/uuid
		and string match --quiet --regex '^LVM-.{64}$' -- $uuid
		and read --local name <$node/name
		and string replace --all -- -- \x01 $name | string replace -- - / |
			string replace --all \x01 -
	end
end

function __noclone_saved
	for file in /etc/noclone/*.table
		basename $file .table
	end
end

complete --command noclone --no-files
complete --command noclone --condition '__fish_use_subcommand' --arguments create --description 'create a mapped device'
complete --command noclone --condition '__fish_seen_subcommand_from create' --arguments 'linear striped file' --force-files
complete --command noclone --condition '__fish_use_subcommand' --arguments reload --description 'give a running device a new table'
complete --command noclone --condition '__fish_seen_subcommand_from reload' --arguments '(__noclone_names) linear striped file' --force-files
complete --command noclone --condition '__fish_use_subcommand' --arguments remove --description 'remove devices'
complete --command noclone --condition '__fish_seen_subcommand_from remove' --arguments '(__noclone_names)'
complete --command noclone --condition '__fish_use_subcommand' --arguments save --description 'keep devices with their tables, so that they come back at boot'
complete --command noclone --condition '__fish_seen_subcommand_from save' --arguments '(__noclone_names)'
complete --command noclone --condition '__fish_use_subcommand' --arguments activate --description 'bring saved devices back'
complete --command noclone --condition '__fish_seen_subcommand_from activate' --arguments '(__noclone_saved)'
complete --command noclone --condition '__fish_use_subcommand' --arguments deactivate --description 'remove saved devices that nobody uses; they stay saved'
complete --command noclone --condition '__fish_seen_subcommand_from deactivate' --arguments '(__noclone_saved)'
complete --command noclone --condition '__fish_use_subcommand' --arguments resize --description 'make a running device larger or smaller'
complete --command noclone --condition '__fish_seen_subcommand_from resize' --arguments '(__noclone_names) max' --force-files
complete --command noclone --condition '__fish_use_subcommand' --arguments enable --description 'give devices the fast path, whatever made them; their tables stay'
complete --command noclone --condition '__fish_seen_subcommand_from enable' --arguments '(__noclone_devices)'
complete --command noclone --condition '__fish_use_subcommand' --arguments disable --description 'take the fast path from devices again'
complete --command noclone --condition '__fish_seen_subcommand_from disable' --arguments '(__noclone_devices)'
complete --command noclone --condition '__fish_use_subcommand' --arguments convert --description 'exchange the targets of running devices: stock ones for this module'\''s, or back'
complete --command noclone --condition '__fish_seen_subcommand_from convert' --arguments '(__noclone_names)'
complete --command noclone --condition '__fish_use_subcommand' --arguments list --description 'list devices'
complete --command noclone --condition '__fish_use_subcommand' --arguments status --description 'print fast path, engine and counters; without names, a line for each device'
complete --command noclone --condition '__fish_seen_subcommand_from status' --arguments '(__noclone_devices)'
complete --command noclone --condition '__fish_use_subcommand' --arguments table --description 'print the live tables'
complete --command noclone --condition '__fish_seen_subcommand_from table' --arguments '(__noclone_names)'
complete --command noclone --condition '__fish_use_subcommand' --arguments info --description 'print state, device numbers and open counts'
complete --command noclone --condition '__fish_seen_subcommand_from info' --arguments '(__noclone_names)'
complete --command noclone --condition '__fish_use_subcommand' --arguments check --description 'check table files for mistakes'
complete --command noclone --condition '__fish_seen_subcommand_from check' --force-files
complete --command noclone --condition '__fish_use_subcommand' --arguments explain --description 'describe a table in words and as a diagram'
complete --command noclone --condition '__fish_seen_subcommand_from explain' --arguments '(__noclone_names)'
complete --command noclone --condition '__fish_use_subcommand' --arguments export --description 'print the equivalent stock tables, for dmsetup create --concise'
complete --command noclone --condition '__fish_seen_subcommand_from export' --arguments '(__noclone_names)'
complete --command noclone --condition '__fish_use_subcommand' --arguments doctor --description 'say what keeps this machine from using the fast path, and the fix'
complete --command noclone --condition '__fish_use_subcommand' --arguments advise --description 'propose a table for devices, and say whether the fast path will show'
complete --command noclone --condition '__fish_seen_subcommand_from advise' --force-files
complete --command noclone --condition '__fish_use_subcommand' --arguments bench --description 'compare devices raw, through stock dm and through noclone'
complete --command noclone --condition '__fish_seen_subcommand_from bench' --force-files
complete --command noclone --condition '__fish_use_subcommand' --arguments help --description 'print help for a command'
complete --command noclone --condition '__fish_use_subcommand' --arguments version --description 'print the versions of the tool, libdevmapper and the module'
complete --command noclone --condition '__fish_seen_subcommand_from help' --arguments 'create reload remove save activate deactivate resize enable disable convert list status table info check explain export doctor advise bench help version'
complete --command noclone --condition '__fish_seen_subcommand_from create reload' --long-option table --short-option t --require-parameter --force-files --description 'take the table from FILE (- is stdin)'
complete --command noclone --condition '__fish_seen_subcommand_from create reload bench' --long-option chunk --short-option c --exclusive --description 'chunk of a striped device, for example 64K'
complete --command noclone --condition '__fish_seen_subcommand_from create reload' --long-option engine --short-option e --exclusive --arguments 'direct extent buffered sync' --description 'engine of noclone-file: direct (default), extent, buffered or sync; reload keeps the current one'
complete --command noclone --condition '__fish_seen_subcommand_from create reload' --long-option start --exclusive --description 'first sector used in the backing file'
complete --command noclone --condition '__fish_seen_subcommand_from create reload' --long-option size --exclusive --description 'create the file, or grow it to this size'
complete --command noclone --condition '__fish_seen_subcommand_from create reload resize' --long-option allocate --description 'fill holes and unwritten extents of the file with zeroes'
complete --command noclone --condition '__fish_seen_subcommand_from resize' --long-option sparse --description 'let the new part of a file be a hole'
complete --command noclone --condition '__fish_seen_subcommand_from resize' --long-option resizefs --description 'resize the file system on the device as well'
complete --command noclone --condition '__fish_seen_subcommand_from resize' --long-option shrink --description 'permit a SIZE that is less than the device has'
complete --command noclone --condition '__fish_seen_subcommand_from create reload' --long-option no-fastpath --description 'let dm core clone every I/O'
complete --command noclone --condition '__fish_seen_subcommand_from create reload' --long-option readonly --short-option r --description 'make the device read-only'
complete --command noclone --condition '__fish_seen_subcommand_from create' --long-option uuid --short-option u --exclusive --description 'DM UUID; NOCLONE- is prepended if it is missing'
complete --command noclone --condition '__fish_seen_subcommand_from create reload' --long-option persist --description 'save the device, so that it comes back at boot'
complete --command noclone --condition '__fish_seen_subcommand_from remove' --long-option forget --description 'remove the file of a saved device as well'
complete --command noclone --condition '__fish_seen_subcommand_from activate' --long-option strict --description 'without the module fail, instead of using dm'\''s own targets and loop devices'
complete --command noclone --condition '__fish_seen_subcommand_from remove' --long-option retry --description 'retry for some seconds while the device is in use'
complete --command noclone --condition '__fish_seen_subcommand_from activate deactivate enable disable list' --long-option all --short-option a --description 'all devices; with list, also those without a target of this module; with activate and deactivate, all that are saved'
complete --command noclone --condition '__fish_seen_subcommand_from enable disable' --long-option now --description 'act on devices now, until the next boot, instead of editing the policy'
complete --command noclone --condition '__fish_seen_subcommand_from enable' --long-option policy --description 'as the policy says'
complete --command noclone --condition '__fish_seen_subcommand_from enable disable' --long-option include --exclusive --description 'add a rule to the policy: devices of that name get the fast path'
complete --command noclone --condition '__fish_seen_subcommand_from enable disable' --long-option exclude --exclusive --description 'add a rule to the policy: devices of that name do not get it'
complete --command noclone --condition '__fish_seen_subcommand_from convert' --long-option to --exclusive --arguments 'noclone stock' --description 'noclone (default) or stock'
complete --command noclone --condition '__fish_seen_subcommand_from status' --long-option watch --short-option w --description 'repeat, with rates per second (default 2)'
complete --command noclone --condition '__fish_seen_subcommand_from status' --long-option noheadings --description 'print no line of headings'
complete --command noclone --condition '__fish_seen_subcommand_from status' --long-option prometheus --description 'print metrics for the textfile collector of node_exporter'
complete --command noclone --condition '__fish_seen_subcommand_from table export' --long-option numbers --description 'write devices as major:minor'
complete --command noclone --condition '__fish_seen_subcommand_from table' --long-option persistent --description 'write devices by names that survive a reboot'
complete --command noclone --condition '__fish_seen_subcommand_from bench' --long-option rounds --exclusive --description 'number of rounds (default 7)'
complete --command noclone --condition '__fish_seen_subcommand_from advise bench' --long-option seconds --exclusive --description 'duration of each run, for example 0.5 (default 2); with advise, of each device'
complete --command noclone --condition '__fish_seen_subcommand_from advise' --long-option measure --description 'read from each device for --seconds; writes nothing'
complete --command noclone --condition '__fish_seen_subcommand_from bench' --long-option write --description 'measure writes as well: destroys the data on the devices'
complete --command noclone --condition '__fish_seen_subcommand_from bench' --long-option yes-destroy --require-parameter --force-files --description 'permit writes to this device; once for each'
complete --command noclone --condition '__fish_seen_subcommand_from status' --long-option output --short-option o --exclusive --arguments '(__fish_append , NAME TYPE MADE-BY STATE IO FAST SHARE REASON WHY)' --description 'write the JSON to FILE; with status, print these columns'
complete --command noclone --condition '__fish_seen_subcommand_from bench' --long-option output --short-option o --require-parameter --force-files --description 'write the JSON to FILE; with status, print these columns'
complete --command noclone --condition '__fish_seen_subcommand_from bench' --long-option compare --require-parameter --force-files --description 'compare with the JSON of an earlier run in FILE'
complete --command noclone --condition '__fish_seen_subcommand_from create reload remove save activate deactivate resize' --long-option force --short-option f --description 'continue although a check failed'
complete --command noclone --condition '__fish_seen_subcommand_from reload resize' --long-option yes --short-option y --description 'answer questions with yes'
complete --command noclone --condition '__fish_seen_subcommand_from create reload remove save activate deactivate resize enable disable convert bench' --long-option dry-run --short-option n --description 'print what would be done and change nothing'
complete --command noclone --condition '__fish_seen_subcommand_from doctor' --long-option quiet --short-option q --description 'print problems only'
complete --command noclone --condition '__fish_seen_subcommand_from create reload remove save activate deactivate resize enable disable convert list status table info check explain export doctor advise bench version' --long-option json --short-option j --description 'print JSON'
complete --command noclone --condition '__fish_seen_subcommand_from create reload remove activate deactivate resize convert bench' --long-option noudevsync --description 'do not wait for udev'
complete --command noclone --condition '__fish_seen_subcommand_from create reload remove activate deactivate resize convert bench' --long-option udev-timeout --exclusive --description 'wait for udev at most this long (default 30)'
complete --command noclone --condition '__fish_seen_subcommand_from help' --long-option completion --arguments 'bash zsh fish' --description 'print the completion script for bash (default), zsh or fish'
complete --command noclone --long-option verbose --short-option v --description 'print more messages'
complete --command noclone --long-option debug --description 'print all messages, also those of libdevmapper'
complete --command noclone --long-option help --short-option h --description 'print help for the command'
complete --command noclone --long-option version --short-option V --description 'print the version'
