import { tempProject } from '@troupe/testkit/internal'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readAttachments } from '../src/input/read-message.ts'

const PNG = Buffer.from('89504e470d0a1a0a00', 'hex').toString('latin1')

async function project(): Promise<string> {
  const made = await tempProject({ 'a.png': PNG, 'b.md': '# grüße\n', 'c.bin': 'a\0b', 'd.PDF': '%PDF-1.7' })
  onTestFinished(() => made.remove())
  return made.path
}

describe('files given to a run', () => {
  it('attachments are pictures, PDF and text by their file extensions, in order', async () => {
    const files = await readAttachments({ image: ['a.png'], file: ['d.PDF', 'b.md'] }, await project())
    expect(files.map(({ mediaType, filename }) => [mediaType, filename])).toEqual([
      ['image/png', 'a.png'],
      ['application/pdf', 'd.PDF'],
      ['text/plain', 'b.md'],
    ])
    expect(Buffer.from(files[2]?.data ?? '', 'base64').toString('utf8')).toBe('# grüße\n')
  })

  it.each([
    [{ image: ['b.md'] }, 'not a png'],
    [{ file: ['c.bin'] }, 'neither text'],
    [{ file: ['gone.txt'] }, 'cannot be read'],
  ])('attachments that cannot be sent are rejected: %j', async (options, why) => {
    await expect(readAttachments(options, await project())).rejects.toMatchObject({
      failure: { code: 'usage_invalid', message: expect.stringContaining(why) as unknown },
    })
  })
})
