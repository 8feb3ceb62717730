package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"syscall"

	"github.com/libtmux-mcp/libtmux-mcp/app"
)

// An auditFile has one line of JSON for each call. Several processes may share it: a line is one write to its end.
type auditFile struct {
	mu     sync.Mutex
	file   *os.File
	logger *slog.Logger
}

// openAudit opens or makes the file, which nobody but its owner may read. A symbolic link, or what is no file, is an error: the
// lines would go somewhere else.
func openAudit(path string, logger *slog.Logger) (*auditFile, error) {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0o600)
	if errors.Is(err, syscall.ELOOP) {
		return nil, fmt.Errorf("--audit %s is a symbolic link: name the file itself", path)
	}
	if err != nil {
		return nil, fmt.Errorf("--audit: %w", err)
	}
	info, err := file.Stat()
	switch {
	case err != nil:
	case !info.Mode().IsRegular():
		err = fmt.Errorf("--audit %s is not a regular file", path)
	case info.Mode().Perm()&0o077 != 0:
		err = fmt.Errorf("--audit %s is open to others (mode %04o): chmod 600 it", path, info.Mode().Perm())
	default:
		return &auditFile{file: file, logger: logger}, nil
	}
	return nil, errors.Join(err, file.Close())
}

// write adds an entry. That it cannot is said in the log: the call has been made.
func (a *auditFile) write(entry app.AuditEntry) {
	line, err := json.Marshal(entry)
	if err == nil {
		a.mu.Lock()
		defer a.mu.Unlock()
		_, err = a.file.Write(append(line, '\n'))
	}
	if err != nil {
		a.logger.Error("a call is missing in the audit", "tool", entry.Tool, "target", entry.Target, "err", err)
	}
}

func (a *auditFile) close() {
	if err := a.file.Close(); err != nil {
		a.logger.Error("the audit may be incomplete", "err", err)
	}
}
