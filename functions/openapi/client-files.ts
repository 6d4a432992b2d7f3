/** A file to upload. The name of a `File` is its own. */
export type NamedFile =
  | File
  | { name: string; content: Blob | ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer> | string };

/** A file as a blob. A stream is read to its end first, because the service needs the size beforehand. */
export const namedBlob = async (file: NamedFile): Promise<{ name: string; blob: Blob }> =>
  file instanceof File
    ? { name: file.name, blob: file }
    : { name: file.name, blob: await new Response(file.content).blob() };

/** A body that holds files, as the form that carries them; `undefined` for any other body. */
export const formData = (body: unknown): FormData | undefined => {
  if (body instanceof FormData) return body;
  const fields = Object.entries(body ?? {}).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((one): [string, unknown] => [name, one]),
  );
  if (!fields.some(([, value]) => value instanceof Blob)) return undefined;
  const form = new FormData();
  for (const [name, value] of fields) {
    if (value instanceof Blob) form.append(name, value);
    else form.append(name, String(value));
  }
  return form;
};

/** The form of a presigned upload: its fields first, the file last. */
export const presignedForm = (fields: Record<string, string>, name: string, blob: Blob): FormData => {
  const form = new FormData();
  for (const [field, value] of Object.entries(fields)) form.append(field, value);
  form.append('file', blob, name);
  return form;
};
