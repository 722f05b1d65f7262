import { publicEvent, reportHiddenFailures, runForPublic, type RunStore } from '@troupe/schema'
import type { SlackAppOptions, SlackHost } from '../slack-options.ts'

/**
 * Returns the host and the store with failures cleaned for people in Slack: without key locations, files,
 * addresses and models. The operator gets the details from `onError` and the store.
 */
export function publicRuns(
  { host, store }: Pick<SlackAppOptions, 'host' | 'store'>,
  onError: (thrown: unknown) => void,
): { readonly host: SlackHost; readonly store: Pick<RunStore, 'events'> } {
  const onHidden = reportHiddenFailures(onError)
  return {
    host: {
      agents: () => host.agents(),
      definition: (agent) => host.definition(agent),
      redact: (value) => host.redact(value),
      run: (agent, input, options = {}) =>
        runForPublic(options, (own) => host.run(agent, input, own), onHidden),
      resume: (runId, options = {}) => runForPublic(options, (own) => host.resume(runId, own), onHidden),
    },
    store: { events: async (runId, range) => (await store.events(runId, range)).map(publicEvent) },
  }
}
