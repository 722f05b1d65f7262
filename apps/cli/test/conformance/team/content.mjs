/** Functions that return content of the kinds that MCP has. */

const IMAGE = {
  type: 'image',
  data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==',
  mimeType: 'image/png',
}
const AUDIO = {
  type: 'audio',
  data: 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=',
  mimeType: 'audio/wav',
}

const resource = (uri, mimeType, text) => ({ type: 'resource', resource: { uri, mimeType, text } })

export function image() {
  return { content: [IMAGE] }
}

export function audio() {
  return { content: [AUDIO] }
}

export function embedded() {
  return {
    content: [resource('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')],
  }
}

export function mixed() {
  return {
    content: [
      { type: 'text', text: 'Multiple content types test:' },
      IMAGE,
      resource('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
    ],
  }
}

/** Logs three messages. */
export function logs(_args, ctx) {
  for (const text of ['Tool execution started', 'Tool processing data', 'Tool execution completed'])
    ctx.run.log(text)
  return 'logged'
}
