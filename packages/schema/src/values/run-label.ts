/** A person's judgement of an answer: thumbs up or down. */
export interface RunLabel {
  readonly value: 'up' | 'down'
  /** The reason, at most {@link MAX_LABEL_NOTE} characters. */
  readonly note?: string
}

/** Maximum number of characters in the note of a label. */
export const MAX_LABEL_NOTE = 1000
