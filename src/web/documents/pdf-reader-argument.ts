/** The hidden argument that makes this program the process that reads PDFs. */
export const pdfReaderArgument = "__read-pdf";
