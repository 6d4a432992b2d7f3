import { createServer } from 'node:http';
import { S3Client } from '@aws-sdk/client-s3';
import { expect, it, onTestFinished } from 'vitest';
import { restoreFiles } from '../../../bin/operator/restore/restore-files.ts';
import { documentKey } from '../../../functions/store/keys.ts';
import { table } from '../../../functions/store/table.ts';
import { newWorld } from '../../support/world.ts';

/** Starts a bucket with delete markers, in pages of one. Emulators keep no versions. */
const startBucket = async (markers: { key: string; isLatest: boolean }[]) => {
  const removed: string[] = [];
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://bucket');
    if (request.method === 'DELETE') {
      removed.push(`${decodeURIComponent(pathname)} ${searchParams.get('versionId')}`);
      response.writeHead(204).end();
      return;
    }
    const at = Number(searchParams.get('version-id-marker') ?? 0);
    const marker = markers[at];
    const isTruncated = at + 1 < markers.length;
    response.end(`<?xml version="1.0"?><ListVersionsResult>
      <IsTruncated>${isTruncated}</IsTruncated>
      ${isTruncated ? `<NextKeyMarker>${marker?.key}</NextKeyMarker><NextVersionIdMarker>${at + 1}</NextVersionIdMarker>` : ''}
      <DeleteMarker><Key>${marker?.key}</Key><VersionId>v${at}</VersionId><IsLatest>${marker?.isLatest}</IsLatest></DeleteMarker>
    </ListVersionsResult>`);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => void server.close());
  const { port } = server.address() as { port: number };
  const endpoint = `http://127.0.0.1:${port}`;
  const credentials = { accessKeyId: 'key', secretAccessKey: 'secret' };
  const client = new S3Client({ endpoint, region: 'us-east-1', credentials, forcePathStyle: true });
  return { removed, client, bucket: 'files' };
};

it('a restore brings back the deleted files of documents that the table has, and no other', async () => {
  const { agentId } = await newWorld();
  await table.get().put({ ...documentKey(agentId, 'doc_there') });
  const bucket = await startBucket([
    { key: `documents/${agentId}.doc_there`, isLatest: true },
    // The file is there again, or was deleted before the restore point, or was the upload that became the file.
    { key: `documents/${agentId}.doc_there`, isLatest: false },
    { key: `documents/${agentId}.doc_gone`, isLatest: true },
    { key: `documents/${agentId}.doc_there.upload`, isLatest: true },
    { key: 'documents/other', isLatest: true },
  ]);
  expect(await restoreFiles(table.get(), bucket, false)).toBe(1);
  expect(bucket.removed).toEqual([]);
  expect(await restoreFiles(table.get(), bucket, true)).toBe(1);
  expect(bucket.removed).toEqual([`/files/documents/${agentId}.doc_there v0`]);
});
