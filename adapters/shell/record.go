package shell

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/libtmux-mcp/libtmux-mcp/domain/frame"
)

// final reports whether nothing can change a record: the command is neither running nor stopped.
func final(record frame.Record) bool { return !record.Running && record.Outcome != frame.Stopped }

func (f *Frames) recordPath(runID string) string { return filepath.Join(f.dir, runID+suffixRecord) }

// save keeps a record: it is there whole or not at all, whatever becomes of this process. What the machine's end costs is not worth the
// milliseconds in which a disk confirms: that ends the tmux that the record speaks of, too.
func (f *Frames) save(runID string, record frame.Record) (err error) {
	text, err := json.Marshal(record)
	if err != nil {
		return err
	}
	aside, err := os.CreateTemp(f.dir, prefixNew)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(aside.Name()))
		}
	}()
	_, err = aside.Write(text)
	if err = errors.Join(err, aside.Close()); err != nil {
		return err
	}
	return os.Rename(aside.Name(), f.recordPath(runID))
}

// load reads a record from a file; fs.ErrNotExist if there is none.
func load(path string) (record frame.Record, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return record, err
	}
	return record, json.Unmarshal(text, &record)
}

// readStatus reads the status that the shell recorded in a run's directory. Without its newline it is not whole.
func readStatus(dir string) (status int, ok bool) {
	text, err := os.ReadFile(filepath.Join(dir, fileStatus))
	if err != nil {
		return 0, false
	}
	number, whole := strings.CutSuffix(string(text), "\n")
	if !whole {
		return 0, false
	}
	status, err = strconv.Atoi(number)
	return status, err == nil
}

// readStreams reads the newest limit bytes of each stream in a run's directory.
func readStreams(dir string, limit int) (stdout, stderr frame.Stream, err error) {
	stdout, err = readTail(filepath.Join(dir, fileStdout), limit)
	if err == nil {
		stderr, err = readTail(filepath.Join(dir, fileStderr), limit)
	}
	return stdout, stderr, err
}

func readTail(path string, limit int) (stream frame.Stream, err error) {
	file, err := os.Open(path)
	if err != nil {
		return stream, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	info, err := file.Stat()
	if err != nil {
		return stream, err
	}
	total := info.Size()
	size := min(total, int64(max(limit, 0)))
	newest, err := io.ReadAll(io.NewSectionReader(file, total-size, size))
	return frame.NewStream(newest, total), err
}
