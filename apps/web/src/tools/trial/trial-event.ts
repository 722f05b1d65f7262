/** The event that opens a read-only chat for a trial of a tool. */
const TRIAL_EVENT = 'create-test-chat-tab'

/** The details of the event: a trial that was started. */
export interface TrialChat {
  /** The filled prompt. */
  readonly initialMessage: string
  readonly readOnly: true
  /** Model in place of the models of the cards. */
  readonly initialModel: string | undefined
  readonly agent: string
  readonly tool: string
  /** The run of the trial. */
  readonly runId: string
}

/** Dispatches the event of a trial that was started. */
export function dispatchTrial(chat: TrialChat): void {
  dispatchEvent(new CustomEvent(TRIAL_EVENT, { detail: chat }))
}

/** Calls `open` for every trial that starts. Returns a function that removes the listener. */
export function onTrial(open: (chat: TrialChat) => void): () => void {
  const listen = (event: Event): void => open((event as CustomEvent<TrialChat>).detail)
  addEventListener(TRIAL_EVENT, listen)
  return () => removeEventListener(TRIAL_EVENT, listen)
}
