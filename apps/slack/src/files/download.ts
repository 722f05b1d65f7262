import type { SlackDesk } from '../answer/slack-desk.ts'
import type { Workspace } from '../app/workspaces.ts'

const PATIENCE_MS = 30_000

/**
 * Downloads a file. Returns its bytes, or the reason why they cannot be read. The token is sent only to
 * Slack: other addresses are rejected, and redirects are not followed.
 */
export async function download(
  url: string,
  {
    desk,
    workspace,
    signal,
    room,
    mediaType,
  }: {
    readonly desk: SlackDesk
    readonly workspace: Workspace
    readonly signal: AbortSignal
    /** Maximum size in bytes. */
    readonly room: number
    readonly mediaType: string
  },
): Promise<Uint8Array | string> {
  if (!isOfSlack(url, desk.config.apiUrl)) return 'its address is not one of Slack.'
  const late = new AbortController()
  const cancel = desk.clock.after(PATIENCE_MS, () => late.abort())
  try {
    const response = await fetch(url, {
      headers: { authorization: `Bearer ${workspace.botToken}` },
      redirect: 'manual',
      signal: AbortSignal.any([signal, late.signal]),
    })
    // Slack sends a login page if the token may not read the file.
    const isPage = response.headers.get('content-type')?.startsWith('text/html') === true
    if (response.status !== 200 || (isPage && mediaType !== 'text/html'))
      return 'the app may not read it: it needs the scope files:read.'
    return await bytesOf(response, room)
  } finally {
    cancel()
  }
}

async function bytesOf(response: Response, room: number): Promise<Uint8Array | string> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of response.body ?? []) {
    size += part.length
    if (size > room) return 'more than 20 MiB are not sent.'
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
