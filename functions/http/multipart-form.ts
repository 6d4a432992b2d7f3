import { Readable } from 'node:stream';
import { Busboy, type BusboyHeaders } from '@fastify/busboy';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { ApiError } from '../domain/errors.ts';
import { UploadedFile } from '../domain/uploaded-file.ts';
import type { MultipartForm } from './endpoint.ts';
import { decodeRequestBody, malformed } from './request-body.ts';

const maxFields = 20;
const maxFieldBytes = 1024;

type Bounds = {
  maxFiles: number;
  /** The maximum size of a file. One byte more shows that it is too large. */
  fileBytes: number;
  /** The maximum size of the body, and the message for a larger one. */
  bodyBytes: number;
  tooLarge: string;
};

/** Declares a multipart form. Its first field has all files; of a repeated field, the first counts. */
export const multipartForm = (files: MultipartForm['files'], bounds: Bounds): MultipartForm => ({
  files,
  maxFiles: bounds.maxFiles,
  read: (event) => read(event, files, bounds),
});

const read = async (event: APIGatewayProxyEventV2, names: MultipartForm['files'], bounds: Bounds): Promise<unknown> => {
  const bytes = decodeRequestBody(event, bounds.bodyBytes, () => new ApiError('payload_too_large', bounds.tooLarge));
  const contentType = event.headers['content-type'] ?? '';
  if (!/^multipart\/form-data\b/i.test(contentType)) throw malformed('The body must be multipart/form-data.');
  const fields: Record<string, string> = {};
  const files: UploadedFile[] = [];
  try {
    await parse(bytes, { 'content-type': contentType }, bounds, {
      field(name, value) {
        if (!Object.hasOwn(fields, name)) fields[name] = value;
      },
      file(field, name, content) {
        // An empty file input arrives as a file without name and content.
        if (name === '' && content.length === 0) return;
        if (names.includes(field)) files.push(new UploadedFile(name, content));
      },
    });
  } catch (error) {
    throw error instanceof ApiError ? error : malformed('The body is not a well-formed multipart form.');
  }
  return { ...fields, [names[0]]: files };
};

type Parts = { field(name: string, value: string): void; file(field: string, name: string, content: Buffer): void };

const parse = (bytes: Buffer, headers: BusboyHeaders, bounds: Bounds, parts: Parts) =>
  new Promise<void>((resolve, reject) => {
    const busboy = new Busboy({
      headers,
      // The name is kept as it was sent: it is never a path.
      preservePath: true,
      isPartAFile: (_field, _type, name) => name !== undefined,
      limits: {
        fields: maxFields,
        fieldSize: maxFieldBytes,
        files: bounds.maxFiles,
        fileSize: bounds.fileBytes + 1,
        headerPairs: 20,
        headerSize: 8 * 1024,
      },
    });
    busboy.on('field', parts.field);
    const source = Readable.from(splitBytes(bytes));
    // The rest of a refused form is not parsed.
    const refuse = (error: unknown) => {
      source.destroy();
      reject(error);
    };
    busboy.on('file', (field, stream, name) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('error', refuse);
      stream.on('end', () => parts.file(field, name, Buffer.concat(chunks)));
    });
    busboy.on('fieldsLimit', () => refuse(malformed(`The form has more than ${maxFields} fields.`)));
    busboy.on('filesLimit', () =>
      refuse(new ApiError('too_many_files', `At most ${bounds.maxFiles} files go into one request.`)),
    );
    busboy.on('finish', resolve);
    busboy.on('error', refuse);
    source.pipe(busboy);
  });

function* splitBytes(bytes: Buffer): Generator<Buffer> {
  const length = 64 * 1024;
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
}
