package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// A stage is a temporary home with a small project in it, and the socket of a private tmux.
type stage struct {
	home    string
	project string
	socket  string
}

// The project: a shop that forgot the third apple, and its test.
const (
	total = `echo $(($1 * ($2 - 1)))
`
	test = `for line in '2 5 10' '2 3 6'; do
	set -- $line
	got=$(sh total.sh "$1" "$2")
	if [ "$got" = "$3" ]; then echo "ok    $1 x $2 = $got"
	else echo "FAIL  $1 x $2: want $3, got $got"; failed=1
	fi
done
exit ${failed-0}
`
)

// newStage makes the files. Paths of sockets are limited to about 100 bytes, so the directory is short.
func newStage() (*stage, error) {
	home, err := os.MkdirTemp("", "demo")
	if err != nil {
		return nil, err
	}
	s := &stage{home: home, project: filepath.Join(home, "shop"), socket: filepath.Join(home, "tmux")}
	return s, errors.Join(
		os.Mkdir(s.project, 0o755),
		os.WriteFile(filepath.Join(s.project, "total.sh"), []byte(total), 0o644),
		os.WriteFile(filepath.Join(s.project, "test.sh"), []byte(test), 0o644),
	)
}

// environment is what the server gets: nothing of the person's configuration, and little as MCP clients do it.
func (s *stage) environment() []string {
	shell := "/bin/sh"
	if bash, err := exec.LookPath("bash"); err == nil {
		shell = bash
	}
	return []string{"PATH=" + os.Getenv("PATH"), "HOME=" + s.home, "SHELL=" + shell}
}

// strike ends the private tmux, shows that it is gone, and removes the files.
func (s *stage) strike() error {
	// Fails if the play ended before any tmux ran, and then there is nothing to end.
	_ = exec.Command("tmux", "-S", s.socket, "kill-server").Run()
	if err := exec.Command("tmux", "-S", s.socket, "has-session").Run(); err == nil {
		return fmt.Errorf("the tmux on %s is still there", s.socket)
	}
	// The shells write their history before they end, so the directory may fill once more while it is removed.
	deadline := time.Now().Add(5 * time.Second)
	for {
		err := os.RemoveAll(s.home)
		if err == nil || time.Now().After(deadline) {
			return err
		}
		<-time.After(10 * time.Millisecond)
	}
}
