import type { Attachment } from '@troupe/schema'
import type { Workspace } from '../app/workspaces.ts'

/** Returns an attachment for the agent that names the channel the person has open. */
export async function contextAttachment(channel: string, workspace: Workspace): Promise<Attachment> {
  const name = await nameOf(channel, workspace)
  const words = `The person has the channel ${name === '' ? channel : `#${name} (${channel})`} open.`
  return { mediaType: 'text/plain', filename: 'Slack', data: Buffer.from(words).toString('base64') }
}

async function nameOf(id: string, { client }: Workspace): Promise<string> {
  try {
    const { channel } = await client.conversations.info({ channel: id })
    return channel?.name ?? ''
  } catch {
    // Fall back to the id: the app may not be in the channel.
    return ''
  }
}
