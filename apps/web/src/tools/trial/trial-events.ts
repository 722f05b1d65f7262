/** The event that opens a read-only chat for a trial of a tool (D47). */
export const TRIAL_EVENT = 'create-test-chat-tab'

/** What it says. */
export interface TrialChat {
  /** The filled prompt. */
  readonly initialMessage: string
  readonly readOnly: true
  /** Asked in place of the models of the cards. */
  readonly initialModel: string | undefined
  readonly agent: string
  readonly tool: string
  /** The run that the prompt was sent to. */
  readonly runId: string
}

/** Tells the page that a trial has begun. */
export function tellTrial(chat: TrialChat): void {
  dispatchEvent(new CustomEvent(TRIAL_EVENT, { detail: chat }))
}

/** Calls back for every trial that begins; the answer ends that. */
export function onTrial(open: (chat: TrialChat) => void): () => void {
  const listen = (event: Event): void => open((event as CustomEvent<TrialChat>).detail)
  addEventListener(TRIAL_EVENT, listen)
  return () => removeEventListener(TRIAL_EVENT, listen)
}
