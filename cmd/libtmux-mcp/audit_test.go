package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/libtmux-mcp/libtmux-mcp/app"
)

func TestAuditIsPrivateAndGrows(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit")
	var wg sync.WaitGroup
	for range 4 { // processes that share it
		audit, err := openAudit(path, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		for i := range 50 {
			wg.Go(func() { audit.write(app.AuditEntry{Tool: "send_keys", Target: fmt.Sprintf("%%%d", i), Outcome: "ok"}) })
		}
		wg.Wait()
		audit.close()
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := 0
	for scanner := bufio.NewScanner(file); scanner.Scan(); lines++ {
		var entry app.AuditEntry
		if err := json.Unmarshal(scanner.Bytes(), &entry); err != nil || entry.Tool != "send_keys" {
			t.Errorf("line %q: %v", scanner.Text(), err)
		}
	}
	if lines != 200 {
		t.Errorf("%d lines, want 200", lines)
	}
}

func TestAuditGoesNowhereElse(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	for _, err := range []error{
		os.WriteFile(file, nil, 0o600), os.Symlink(file, filepath.Join(dir, "link")), os.Symlink(dir+"/absent", filepath.Join(dir, "dangling")),
		syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o600), os.WriteFile(filepath.Join(dir, "open"), nil, 0o600),
		os.Chmod(filepath.Join(dir, "open"), 0o640),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, says := range map[string]string{
		"link": "symbolic link", "dangling": "symbolic link", "fifo": "fifo", "open": "chmod 600", "": "directory", "none/audit": "no such file",
	} {
		t.Run(name, func(t *testing.T) {
			audit, err := openAudit(filepath.Join(dir, name), slog.New(slog.DiscardHandler))
			if err == nil {
				audit.close()
				t.Fatal("it was opened")
			}
			if !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), "--audit") {
				t.Errorf("%q does not say %q", err, says)
			}
		})
	}
	if info, err := os.Stat(file); err != nil || info.Size() > 0 {
		t.Errorf("what the link points to: %v, %v", info, err)
	}
	if _, err := os.Lstat(filepath.Join(dir, "absent")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what the dangling link points to was made: %v", err)
	}
}

func TestAuditIsCheckedBeforeTmux(t *testing.T) {
	touched := filepath.Join(t.TempDir(), "touched")
	tmux := stub(t, "echo touched >"+touched)
	for _, c := range []commandLine{
		{name: "a relative path", args: "--audit audit", status: exitUsage, stderr: []string{`^libtmux-mcp: --audit "audit" is not an absolute path$`}},
		{name: "an empty one", args: "--audit=", status: exitUsage, stderr: []string{"--audit"}},
		{name: "a directory", args: "--audit /tmp", status: exitError, stderr: []string{"^libtmux-mcp: --audit: .*directory"}},
	} {
		t.Run(c.name, func(t *testing.T) { c.invoke(t, tmux) })
	}
	if _, err := os.Stat(touched); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("tmux was touched: %v", err)
	}
}
