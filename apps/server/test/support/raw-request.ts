import { request, type IncomingMessage } from 'node:http'

/** An answer with its body. */
export interface RawAnswer {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** Sends a request with headers that `fetch` does not allow, such as `Host`. */
export function rawRequest(
  url: string,
  {
    method = 'GET',
    headers = {},
    body = '',
    withoutHost = false,
  }: {
    readonly method?: string
    readonly headers?: Readonly<Record<string, string>>
    readonly body?: string
    readonly withoutHost?: boolean
  } = {},
): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { method, headers, setHost: !withoutHost }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
      })
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }),
      )
    })
    asked.on('error', reject)
    asked.end(body)
  })
}
