package shell

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// identity names a process so that no other is ever taken for it: pid and start time. Empty if there is no such
// process, or only its unreaped remains. Source: sysctl(3), KERN_PROC_PID; sys/proc.h.
func identity(pid int) string {
	const zombie = 5 // SZOMB
	process, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || process.Proc.P_stat == zombie {
		return ""
	}
	start := process.Proc.P_starttime
	return fmt.Sprintf("%d %d.%06d", pid, start.Sec, start.Usec)
}
