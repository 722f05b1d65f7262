import type { AgentDefinition, Attachment } from '@troupe/schema'
import type { Workspace } from '../context/workspaces.ts'
import { readFiles, type MessageAttachments } from './read-files.ts'
import type { SlackRequest } from '../intake/slack-request.ts'
import type { SlackContext } from '../context/slack-context.ts'

/**
 * Returns the attachments for the agent: the channel that the person has open, and the files of the request.
 * Never rejects.
 */
export async function collectAttachments(
  request: SlackRequest,
  definition: Pick<AgentDefinition, 'type' | 'name'>,
  tools: { readonly context: SlackContext; readonly workspace: Workspace; readonly signal: AbortSignal },
): Promise<MessageAttachments> {
  const { files = [] } = request
  if (definition.type !== 'agent') {
    const why = `${definition.name} is a ${definition.type}, and only agents of type agent read files.`
    return { attachments: [], skipped: files.map(({ name }) => `${name} was not read: ${why}`) }
  }
  const [context, read] = await Promise.all([contextOf(request, tools), readFiles(files, tools)])
  return { ...read, attachments: [...context, ...read.attachments] }
}

/** Returns the open channel, only in direct conversations: elsewhere it is the channel of the request. */
async function contextOf(
  { kind, team, user, viewing }: SlackRequest,
  { context, workspace }: { readonly context: SlackContext; readonly workspace: Workspace },
): Promise<readonly Attachment[]> {
  const channel = kind === 'direct' ? (viewing ?? context.viewed.get({ team, user })) : undefined
  return channel === undefined ? [] : [await contextAttachment(channel, workspace)]
}

/** Returns an attachment for the agent that names the channel the person has open. */
async function contextAttachment(channel: string, workspace: Workspace): Promise<Attachment> {
  const name = await nameOf(channel, workspace)
  const words = `The user has the channel ${name === '' ? channel : `#${name} (${channel})`} open.`
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
