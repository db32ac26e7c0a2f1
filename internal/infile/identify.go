package infile

import "bytes"

// foreign lists formats by their first bytes.
var foreign = []struct{ magic, name, advice string }{
	{"\xfd7zXZ\x00", "data compressed with xz", "unpack it first (xz -d), or compress it with gzip or zstd"},
	{"\x1f\x8b\x08", "data compressed twice, the inner time with gzip", "unpack it once first (gzip -d or zstd -d)"},
	{"\x28\xb5\x2f\xfd", "data compressed twice, the inner time with zstd", "unpack it once first (gzip -d or zstd -d)"},
	{"BZh", "data compressed with bzip2", "unpack it first (bzip2 -d), or compress it with gzip or zstd"},
	{"\x04\x22\x4d\x18", "data compressed with lz4", "unpack it first (lz4 -d), or compress it with gzip or zstd"},
	{"\x1f\x9d", "data compressed with compress", "unpack it first (gzip -d)"},
	{"LZIP", "data compressed with lzip", "unpack it first (lzip -d)"},
	{"PK\x03\x04", "a zip archive", "unpack it first (unzip)"},
	{"7z\xbc\xaf\x27\x1c", "a 7-Zip archive", "unpack it first (7z x)"},
	{"Rar!\x1a\x07", "a RAR archive", "unpack it first"},
	{"\x89HDF\r\n\x1a\n", "an HDF5 file (MATLAB's .mat from version 7.3 on is one)", "write the matrix in Matrix Market format"},
	{"MATLAB 5.0 MAT-file", "a MATLAB .mat file", "write the matrix in Matrix Market format (mmwrite)"},
	{"\x93NUMPY", "a NumPy array", "write the edges as text, for instance with numpy.savetxt"},
	{"PAR1", "a Parquet file", "write the edges as CSV"},
	{"SQLite format 3\x00", "an SQLite database", "write the edges as CSV"},
	{"\x7fELF", "a program", ""},
	{"%PDF", "a PDF document", ""},
	{"\x89PNG", "a picture", ""},
	{"\xff\xfe", "text in UTF-16", "convert it to UTF-8 (iconv -f UTF-16 -t UTF-8)"},
	{"\xfe\xff", "text in UTF-16", "convert it to UTF-8 (iconv -f UTF-16 -t UTF-8)"},
	{"<!doctype html", "a web page", "the download has failed, or gave the page about the file"},
	{"<!DOCTYPE html", "a web page", "the download has failed, or gave the page about the file"},
	{"<html", "a web page", "the download has failed, or gave the page about the file"},
}

// Identify names what starts with the bytes of head, if it is a format that is
// known and not read, and says what to do; advice may be empty.
func Identify(head []byte) (name, advice string, ok bool) {
	for _, f := range foreign {
		if bytes.HasPrefix(head, []byte(f.magic)) {
			return f.name, f.advice, true
		}
	}
	if len(head) >= 262 && string(head[257:262]) == "ustar" {
		return "a tar archive", "extract the file first (tar -x)", true
	}
	return "", "", false
}
