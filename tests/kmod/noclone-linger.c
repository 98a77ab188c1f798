// SPDX-License-Identifier: GPL-2.0-only
/*
 * For tests: delay the first return from a function by seconds, while other processors run.
 *
 *	insmod noclone-linger.ko function=NAME seconds=NUMBER
 *
 * The parameter "inside" is Y as soon as the function returns for the first time.
 */
#include <linux/atomic.h>
#include <linux/delay.h>
#include <linux/kprobes.h>
#include <linux/module.h>

static char *function = "";
module_param(function, charp, 0);
MODULE_PARM_DESC(function, "The function that is to return late, once");

static unsigned int seconds = 1;
module_param(seconds, uint, 0);
MODULE_PARM_DESC(seconds, "How late");

static bool inside;
module_param(inside, bool, 0444);
MODULE_PARM_DESC(inside, "Has it been called?");

static atomic_t linger_calls = ATOMIC_INIT(0);

static int linger_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	if (atomic_inc_return(&linger_calls) == 1) {
		WRITE_ONCE(inside, true);
		mdelay(1000 * seconds);
	}
	return 0;
}

static struct kretprobe linger_probe = {
	.handler = linger_return,
};

static int __init linger_init(void)
{
	linger_probe.kp.symbol_name = function;
	return register_kretprobe(&linger_probe);
}

static void __exit linger_exit(void)
{
	unregister_kretprobe(&linger_probe);
}

module_init(linger_init);
module_exit(linger_exit);

MODULE_DESCRIPTION("A function that returns late; for the tests of dm-noclone");
MODULE_LICENSE("GPL");
