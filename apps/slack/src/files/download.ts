import type { SlackContext } from '../answer/slack-context.ts'
import type { Workspace } from '../app/workspaces.ts'

const MAX_WAIT_MS = 30_000

/**
 * Downloads a file. Returns its bytes, or the reason why they cannot be read. The token is sent only to
 * Slack: other addresses are rejected, and redirects are not followed.
 */
export async function download(
  url: string,
  {
    context,
    workspace,
    signal,
    maxBytes,
    mediaType,
  }: {
    readonly context: SlackContext
    readonly workspace: Workspace
    readonly signal: AbortSignal
    /** Maximum size in bytes. */
    readonly maxBytes: number
    readonly mediaType: string
  },
): Promise<Uint8Array | string> {
  if (!isOfSlack(url, context.config.apiUrl)) return 'its address is not one of Slack.'
  const timeout = new AbortController()
  const cancel = context.clock.after(MAX_WAIT_MS, () => timeout.abort())
  try {
    const response = await fetch(url, {
      headers: { authorization: `Bearer ${workspace.botToken}` },
      redirect: 'manual',
      signal: AbortSignal.any([signal, timeout.signal]),
    })
    // Slack sends a login page if the token may not read the file.
    const isPage = response.headers.get('content-type')?.startsWith('text/html') === true
    if (response.status !== 200 || (isPage && mediaType !== 'text/html'))
      return 'the app may not read it: it needs the scope files:read.'
    return await bytesOf(response, maxBytes)
  } finally {
    cancel()
  }
}

async function bytesOf(response: Response, maxBytes: number): Promise<Uint8Array | string> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of response.body ?? []) {
    size += part.length
    if (size > maxBytes) return 'more than 20 MiB are not sent.'
    parts.push(part)
  }
  return Buffer.concat(parts)
}

function isOfSlack(url: string, apiUrl: string | undefined): boolean {
  if (!URL.canParse(url)) return false
  const { protocol, hostname, origin } = new URL(url)
  if (apiUrl !== undefined && origin === new URL(apiUrl).origin) return true
  return protocol === 'https:' && (hostname === 'slack.com' || hostname.endsWith('.slack.com'))
}
