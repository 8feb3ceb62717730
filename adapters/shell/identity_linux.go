package shell

import (
	"bytes"
	"fmt"
	"os"
	"strings"
)

// identity names a process so that no other is ever taken for it: pid, start time in clock ticks, and boot. Empty if there
// is no such process, or only its unreaped remains. Source: proc_pid_stat(5).
func identity(pid int) string {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return ""
	}
	// The second field is a name in parentheses that may hold anything; the state follows, and the start time is field 22.
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 20 || strings.Contains("ZX", string(fields[0])) {
		return ""
	}
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		boot = nil // pid and start time are nearly as good
	}
	return fmt.Sprintf("%d %s %s", pid, fields[19], bytes.TrimSpace(boot))
}
