import { createHash, createHmac } from 'node:crypto'
import type { RecordedRequest } from './fake-provider.ts'

/** Credentials that sign requests to AWS. */
export interface AwsCredentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
  readonly region: string
}

const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=(?<id>[^/]+)\/(?<date>\d{8})\/(?<region>[^/]+)\/(?<service>[^/]+)\/aws4_request, SignedHeaders=(?<headers>[\w;-]+), Signature=(?<signature>[0-9a-f]{64})$/u

/**
 * Returns the reason why a request has no valid signature version 4, or `undefined` if it has one. Computes
 * the signature from the request as it was received.
 */
export function signatureProblem(
  request: RecordedRequest,
  service: string,
  credentials: AwsCredentials,
): string | undefined {
  const given = AUTHORIZATION.exec(request.headers['authorization'] ?? '')?.groups
  if (given === undefined) return 'Missing Authentication Token'
  const { id = '', date = '', headers = '', signature } = given
  const { accessKeyId, region, sessionToken } = credentials
  if (id !== accessKeyId || request.headers['x-amz-security-token'] !== sessionToken)
    return 'The security token included in the request is invalid.'
  if (given['region'] !== region || given['service'] !== service)
    return `Credential should be scoped to a valid region and to service '${service}'.`
  const names = headers.split(';')
  const required = ['host', 'x-amz-date', ...(sessionToken === undefined ? [] : ['x-amz-security-token'])]
  if (required.some((name) => !names.includes(name))) return `${required.join(', ')} must be signed.`
  const time = request.headers['x-amz-date'] ?? ''
  if (!time.startsWith(date)) return 'Date in Credential scope does not match YYYYMMDD from the request.'
  const scope = `${date}/${region}/${service}/aws4_request`
  const text = ['AWS4-HMAC-SHA256', time, scope, sha256(canonicalRequest(request, names))].join('\n')
  const key = [date, region, service, 'aws4_request'].reduce<string | Buffer>(
    hmac,
    `AWS4${credentials.secretAccessKey}`,
  )
  return hmac(key, text).toString('hex') === signature
    ? undefined
    : 'The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method.'
}

/** Returns the form of a request that is signed. Its path is encoded once more than in the request. */
function canonicalRequest(
  { method, path, headers, text }: RecordedRequest,
  names: readonly string[],
): string {
  const { pathname, searchParams } = new URL(path, 'http://localhost')
  searchParams.sort()
  return [
    method,
    pathname.split('/').map(encodeSegment).join('/'),
    searchParams.toString(),
    ...names.map((name) => `${name}:${(headers[name] ?? '').trim().replaceAll(/ +/gu, ' ')}`),
    '',
    names.join(';'),
    sha256(text),
  ].join('\n')
}

function encodeSegment(segment: string): string {
  return encodeURIComponent(segment).replaceAll(
    /[!'()*]/gu,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}
