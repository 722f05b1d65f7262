/**
 * Returns the offered media type that the `Accept` header prefers, or `undefined` if it names none of them.
 * Wildcards are ignored.
 */
export function accepts<Kind extends string>(request: Request, offer: readonly Kind[]): Kind | undefined {
  const named = (request.headers.get('accept') ?? '').split(',').map((entry) => {
    const [type = '', ...parameters] = entry.split(';').map((part) => part.trim().toLowerCase())
    const quality = parameters.find((parameter) => parameter.startsWith('q='))
    return { type, quality: quality === undefined ? 1 : Number(quality.slice(2)) }
  })
  const wanted = named.filter(({ type, quality }) => quality > 0 && offer.some((kind) => kind === type))
  const [best] = wanted.toSorted((a, b) => b.quality - a.quality)
  return offer.find((kind) => kind === best?.type)
}
