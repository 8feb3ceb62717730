package app

// What the package's external tests reach inside for.
var (
	SchemaOf = schemaOf
	Decode   = decode
	Exact    = (*App).exact
)

// Retained is for how many bytes counts what is retained.
func Retained(a *App) int { return a.retained.Bytes() }
