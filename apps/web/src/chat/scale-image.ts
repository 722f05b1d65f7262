/** Longest sides that are tried, in pixels. Models scale larger images down themselves. */
const SIDES = [2048, 1536, 1024, 768] as const
const QUALITY = 0.85

/** Scales an image down until it has at most `maxBytes`, as JPEG. Returns `undefined` if it cannot be read or made small enough. */
export async function scaleImage(file: File, maxBytes: number): Promise<Blob | undefined> {
  try {
    const bitmap = await createImageBitmap(file)
    for (const side of SIDES) {
      const blob = await draw(bitmap, Math.min(1, side / Math.max(bitmap.width, bitmap.height)))
      if (blob !== undefined && blob.size <= maxBytes) return blob
    }
    return undefined
  } catch {
    // The browser cannot read the image.
    return undefined
  }
}

async function draw(bitmap: ImageBitmap, scale: number): Promise<Blob | undefined> {
  const canvas = document.createElement('canvas')
  canvas.width = Math.max(1, Math.round(bitmap.width * scale))
  canvas.height = Math.max(1, Math.round(bitmap.height * scale))
  const context = canvas.getContext('2d')
  if (context === null) return undefined
  // JPEG has no transparency
  context.fillStyle = '#fff'
  context.fillRect(0, 0, canvas.width, canvas.height)
  context.drawImage(bitmap, 0, 0, canvas.width, canvas.height)
  return new Promise((resolve) => {
    canvas.toBlob((blob) => resolve(blob ?? undefined), 'image/jpeg', QUALITY)
  })
}
