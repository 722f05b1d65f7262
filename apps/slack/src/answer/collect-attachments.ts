import type { AgentDefinition, Attachment } from '@troupe/schema'
import { contextAttachment } from '../agent-view/context-attachment.ts'
import type { Workspace } from '../app/workspaces.ts'
import { readFiles, type ReadFiles } from '../files/read-files.ts'
import type { SlackRequest } from '../intake/slack-request.ts'
import type { SlackDesk } from './slack-desk.ts'

/**
 * Returns the attachments for the agent: the channel that the person has open, and the files of the request.
 * Never rejects.
 */
export async function collectAttachments(
  request: SlackRequest,
  definition: Pick<AgentDefinition, 'type' | 'name'>,
  tools: { readonly desk: SlackDesk; readonly workspace: Workspace; readonly signal: AbortSignal },
): Promise<ReadFiles> {
  const { files = [] } = request
  if (definition.type !== 'agent') {
    const why = `${definition.name} is a ${definition.type}, which shows files to nobody.`
    return { attachments: [], left: files.map(({ name }) => `${name} was not read: ${why}`) }
  }
  const [context, read] = await Promise.all([contextOf(request, tools), readFiles(files, tools)])
  return { ...read, attachments: [...context, ...read.attachments] }
}

/** Returns the open channel, only in direct conversations: elsewhere it is the channel of the request. */
async function contextOf(
  { kind, team, user, viewing }: SlackRequest,
  { desk, workspace }: { readonly desk: SlackDesk; readonly workspace: Workspace },
): Promise<readonly Attachment[]> {
  const channel = kind === 'direct' ? (viewing ?? desk.viewed.of({ team, user })) : undefined
  return channel === undefined ? [] : [await contextAttachment(channel, workspace)]
}
