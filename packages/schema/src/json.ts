// JSON values: depth, canonical text and hash.

export { canonicalJson, sha256Hex } from './text/hash.ts'
export { isJsonText, isJsonTextTooDeep, isJsonTooDeep, MAX_JSON_DEPTH } from './text/json.ts'
