import type { AgentDefinition, Attachment } from '@troupe/schema'
import { contextAttachment } from '../agent-view/context-attachment.ts'
import type { Workspace } from '../app/workspaces.ts'
import { readFiles, type ReadFiles } from '../files/read-files.ts'
import type { SlackRequest } from '../intake/slack-request.ts'
import type { SlackDesk } from './slack-desk.ts'

/** What an agent gets beside the text of a request: where the person is, and the files. Never rejects. */
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

/** In direct conversations alone: in a channel the person is where they ask. */
async function contextOf(
  { kind, team, user, viewing }: SlackRequest,
  { desk, workspace }: { readonly desk: SlackDesk; readonly workspace: Workspace },
): Promise<readonly Attachment[]> {
  const channel = kind === 'direct' ? (viewing ?? desk.viewed.of({ team, user })) : undefined
  return channel === undefined ? [] : [await contextAttachment(channel, workspace)]
}
