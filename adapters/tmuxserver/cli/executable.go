package cli

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

// Oldest is the oldest tmux that is supported.
const Oldest = tmux.Version("3.2a")

// An Executable is an installed tmux.
type Executable struct {
	Path    string
	Version tmux.Version
}

// usualDirectories are looked through when PATH, which MCP clients often strip, has no tmux.
var usualDirectories = []string{
	"/usr/bin", "/usr/local/bin", "/bin", "/opt/homebrew/bin", "/opt/local/bin", "/home/linuxbrew/.linuxbrew/bin",
	"/usr/pkg/bin", "/run/current-system/sw/bin", "/snap/bin",
}

// Executable finds the tmux executable and asks its version, once. None is TransportError, one older than 3.2a
// Unsupported.
func (c *Conn) Executable(ctx context.Context) (Executable, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.executable.Path != "" {
		return c.executable, nil
	}
	path, err := find(c.options.Tmux)
	if err != nil {
		return Executable{}, err
	}
	version, err := versionOf(ctx, path)
	if err != nil {
		return Executable{}, err
	}
	if !version.AtLeast(Oldest) {
		return Executable{}, &fault.Error{
			Kind: fault.Unsupported, Message: fmt.Sprintf("tmux %s (%s) is too old", version, path),
			Recovery: fmt.Sprintf("install tmux %s or newer, or name another executable (--tmux)", Oldest),
		}
	}
	c.executable = Executable{Path: path, Version: version}
	return c.executable, nil
}

// find looks for the executable by path, by name in PATH, and in the usual directories.
func find(name string) (string, error) {
	if name == "" {
		name = "tmux"
	}
	path, err := exec.LookPath(name)
	if err == nil {
		return filepath.Abs(path)
	}
	const recovery = "install tmux 3.2a or newer, or name its executable (--tmux)"
	if strings.ContainsRune(name, filepath.Separator) {
		return "", transport(fault.NotSent, recovery, name+" is no tmux executable", err)
	}
	for _, directory := range usualDirectories {
		if path, err := exec.LookPath(filepath.Join(directory, name)); err == nil {
			return path, nil
		}
	}
	return "", transport(fault.NotSent, recovery, fmt.Sprintf("no %s executable in PATH (%s), nor in %s", name,
		os.Getenv("PATH"), strings.Join(usualDirectories, ":")), nil)
}

// versionLine is what tmux -V prints. The name is that of the file up to tmux 3.2a.
var versionLine = regexp.MustCompile(`^\S+ ((?:next-)?\d+\.\d+\S*|master|openbsd-\S+)\n$`)

// versionOf asks an executable for its version.
func versionOf(ctx context.Context, path string) (tmux.Version, error) {
	cmd := exec.CommandContext(ctx, path, "-V")
	cmd.WaitDelay = termGrace
	out, err := cmd.Output()
	if ctx.Err() != nil {
		return "", contextFault(ctx, fault.NotSent)
	}
	said := versionLine.FindSubmatch(out)
	if err != nil || said == nil {
		return "", transport(fault.NotSent, "name a tmux executable (--tmux)",
			fmt.Sprintf("%s -V answered %q, which is no tmux version", path, out), err)
	}
	return tmux.Version(said[1]), nil
}
