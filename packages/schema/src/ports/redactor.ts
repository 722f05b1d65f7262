/** Hides known secrets in text. Events show and steps resume (decision 9), so there are two forms, from one set of values. */
export interface Redactor {
  /** `[redacted:NAME]`: for what is shown, exported, or read by a model. */
  redact(text: string): string
  /** `{{secret:NAME}}`: for what is kept so that a run can be resumed. `reveal` gives back exactly what was sealed. */
  seal(text: string): string
  reveal(text: string): string
  /** `redact` for one text that comes in pieces. */
  pieces(): RedactedPieces
}

/** A text on its way: a piece that may be the beginning of a secret is kept back until it is known. */
export interface RedactedPieces {
  /** What may be shown now. */
  push(piece: string): string
  /** What was kept back. */
  end(): string
}
