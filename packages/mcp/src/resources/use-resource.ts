import type { Client, RequestOptions, Resource, ResourceTemplateType } from '@modelcontextprotocol/client'
import type { Json, JsonObject } from '@troupe/schema'

/** Runs a resource tool. Returns a value in the form of a tool result. Rejects with the SDK's error. */
export function useResource(
  client: Client,
  call: { readonly resource: 'list' | 'read'; readonly args: JsonObject },
  options: RequestOptions,
): Promise<unknown> {
  return call.resource === 'read' ? read(client, call.args, options) : list(client, call.args, options)
}

async function read(client: Client, { uri }: JsonObject, options: RequestOptions): Promise<unknown> {
  const { contents } = await client.readResource({ uri: uri as string }, options)
  return { content: contents.map((resource) => ({ type: 'resource', resource })) }
}

/** Lists one page of resources. The first page includes the resource templates. */
async function list(client: Client, { cursor }: JsonObject, options: RequestOptions): Promise<unknown> {
  const page = await client.listResources(typeof cursor === 'string' ? { cursor } : {}, options)
  const { resourceTemplates } =
    cursor === undefined ? await client.listResourceTemplates({}, options) : { resourceTemplates: [] }
  const listed = {
    resources: page.resources.map((resource) => ({ uri: resource.uri, ...described(resource) })),
    templates: resourceTemplates.map((template) => ({ uri: template.uriTemplate, ...described(template) })),
    ...(page.nextCursor === undefined ? {} : { nextCursor: page.nextCursor }),
  }
  return { content: [{ type: 'text', text: JSON.stringify(listed) }], structuredContent: listed }
}

function described(entry: Resource | ResourceTemplateType): Readonly<Record<string, Json>> {
  const { name, title, description, mimeType } = entry
  const said = { name, title, description, mimeType }
  return Object.fromEntries(
    Object.entries(said).filter((pair): pair is [string, string] => pair[1] !== undefined),
  )
}
