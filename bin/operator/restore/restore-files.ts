import {
  DeleteObjectCommand,
  ListObjectVersionsCommand,
  type ListObjectVersionsCommandOutput,
  type S3Client,
} from '@aws-sdk/client-s3';
import { fileKey, filesFolder, parseFileKey } from '../../../functions/domain/documents.ts';
import { documentKey } from '../../../functions/store/keys.ts';
import type { Table } from '../../../functions/store/table.ts';

/**
 * Brings back the deleted files of documents that a table has, and returns their number. The bucket keeps a deleted file as a
 * version under a delete marker: without the marker, the file is there again.
 */
export const restoreFiles = async (
  from: Table,
  { client, bucket }: { client: S3Client; bucket: string },
  yes: boolean,
): Promise<number> => {
  let restored = 0;
  let place: { KeyMarker?: string; VersionIdMarker?: string } | undefined = {};
  while (place) {
    const input = { Bucket: bucket, Prefix: filesFolder, ...place };
    const page: ListObjectVersionsCommandOutput = await client.send(new ListObjectVersionsCommand(input));
    for (const { Key = '', VersionId, IsLatest } of page.DeleteMarkers ?? []) {
      const document = parseFileKey(Key);
      // A file that was sent with a form is deleted when it became the document's own.
      if (!IsLatest || !document || Key !== fileKey(document)) continue;
      if (!(await from.get(documentKey(document.agentId, document.id)))) continue;
      if (yes) await client.send(new DeleteObjectCommand({ Bucket: bucket, Key, VersionId }));
      restored++;
    }
    const { IsTruncated, NextKeyMarker: KeyMarker, NextVersionIdMarker: VersionIdMarker } = page;
    place = IsTruncated ? { KeyMarker, VersionIdMarker } : undefined;
  }
  return restored;
};
