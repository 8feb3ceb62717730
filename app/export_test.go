package app

// What the package's external tests reach inside for.
var (
	SchemaOf = schemaOf
	Decode   = decode
	Exact    = (*App).exact
)
