package fake

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"os"
	"path"
	"time"

	"mvdan.cc/sh/v3/interp"
)

// A file is open for writing; what is written is in the world at once.
type file struct {
	world *World
	name  string
}

func (f *file) Write(data []byte) (int, error) {
	f.world.mu.Lock()
	defer f.world.mu.Unlock()
	if f.name != os.DevNull {
		f.world.files[f.name] = append(f.world.files[f.name], data...)
	}
	return len(data), nil
}

func (f *file) Read([]byte) (int, error) { return 0, io.EOF }
func (f *file) Close() error             { return nil }

// open opens a file of the world. What is opened for reading must be an *os.File, because the interpreter would copy anything else
// through a pipe of the system: it is a marker by which input finds the content.
func (w *World) open(ctx context.Context, name string, flag int, _ os.FileMode) (io.ReadWriteCloser, error) {
	if !path.IsAbs(name) {
		name = path.Join(interp.HandlerCtx(ctx).Dir, name)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	data, ok := w.files[name]
	if flag&(os.O_WRONLY|os.O_RDWR) != 0 {
		if name != os.DevNull && (!ok || flag&os.O_TRUNC != 0) {
			w.files[name] = nil
		}
		return &file{world: w, name: name}, nil
	}
	if !ok && name != os.DevNull {
		return nil, &os.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	marker, err := os.Open(os.DevNull)
	if err != nil {
		return nil, err
	}
	w.markers[marker] = bytes.NewReader(data)
	return marker, nil
}

// input finds what a marker stands for.
func (w *World) input(marker *os.File) io.Reader {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.markers[marker]
}

// stat knows the world's files, and the directories of this machine.
func (w *World) stat(_ context.Context, name string, _ bool) (fs.FileInfo, error) {
	w.mu.Lock()
	data, ok := w.files[name]
	w.mu.Unlock()
	if ok {
		return fileInfo{name: path.Base(name), size: int64(len(data))}, nil
	}
	info, err := os.Stat(name)
	if err == nil && !info.IsDir() {
		return nil, &os.PathError{Op: "stat", Path: name, Err: fs.ErrNotExist}
	}
	return info, err
}

type fileInfo struct {
	name string
	size int64
}

func (f fileInfo) Name() string     { return f.name }
func (f fileInfo) Size() int64      { return f.size }
func (fileInfo) Mode() fs.FileMode  { return 0o600 }
func (fileInfo) ModTime() time.Time { return time.Time{} }
func (fileInfo) IsDir() bool        { return false }
func (fileInfo) Sys() any           { return nil }
