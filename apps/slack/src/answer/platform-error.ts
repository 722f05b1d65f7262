import { WebAPIPlatformError } from '@slack/web-api'

/** What Slack calls the reason for which it refused a call; undefined: it did not refuse it, the call failed. */
export function platformError(thrown: unknown): string | undefined {
  return thrown instanceof WebAPIPlatformError ? thrown.data.error : undefined
}
