import type { Client, RequestOptions, Resource, ResourceTemplateType } from '@modelcontextprotocol/client'
import type { Json, JsonObject } from '@troupe/schema'

/** Does what one of the resource tools is called for; the answer has the form of a tool's result. Rejects as the SDK does. */
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

/** One page of the resources; the templates come with the first. */
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
