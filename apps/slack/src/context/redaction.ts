import { createRedactor } from '@troupe/env'
import type { StreamRedactor, RunStore } from '@troupe/schema/ports'
import { publicEvent, reportHiddenFailures, runForPublic } from '@troupe/schema/public'
import type { TextRedactor } from '../view/hide-chunks.ts'
import type { SlackHost, SlackAppOptions } from './slack-context.ts'
import type { SlackConfig } from '../config/slack-config.ts'

/** Redaction of texts for Slack. */
interface SlackRedactor {
  /** Redacts the secrets of the team and the tokens of the app in a whole text. */
  readonly hide: TextRedactor
  /**
   * Creates a redactor of the app's tokens for streamed text. The host has already redacted the secrets of
   * the team there.
   */
  pieces(): StreamRedactor
}

/** Creates a redactor of the secrets of the team and the tokens of the app. */
export function createSlackRedactor(host: Pick<SlackHost, 'redact'>, config: SlackConfig): SlackRedactor {
  const { botTokens, appToken, signingSecret } = config
  const own = createRedactor([
    ...botTokens.map((value) => ({ name: 'SLACK_BOT_TOKEN', value })),
    ...(appToken === undefined ? [] : [{ name: 'SLACK_APP_TOKEN', value: appToken }]),
    ...(signingSecret === undefined ? [] : [{ name: 'SLACK_SIGNING_SECRET', value: signingSecret }]),
  ])
  return {
    hide: (text) => host.redact(own?.redact(text) ?? text),
    pieces: () => own?.startStream() ?? { push: (piece) => piece, end: () => '' },
  }
}

/**
 * Returns the host and the store with failures cleaned for people in Slack: without key locations, files,
 * addresses and models. The operator gets the details from `onError` and the store.
 */
export function publicRuns(
  { host, store }: Pick<SlackAppOptions, 'host' | 'store'>,
  onError: (thrown: unknown) => void,
): { readonly host: SlackHost; readonly store: Pick<RunStore, 'events' | 'setLabel'> } {
  const onHidden = reportHiddenFailures(onError)
  return {
    host: {
      agents: () => host.agents(),
      definition: (agent) => host.definition(agent),
      redact: (value) => host.redact(value),
      writeTarget: (call) => host.writeTarget(call),
      run: (agent, input, options = {}) =>
        runForPublic(options, (own) => host.run(agent, input, own), onHidden),
      resume: (runId, options = {}) => runForPublic(options, (own) => host.resume(runId, own), onHidden),
    },
    store: {
      events: async (runId, range) => (await store.events(runId, range)).map(publicEvent),
      setLabel: (runId, label) => store.setLabel(runId, label),
    },
  }
}
