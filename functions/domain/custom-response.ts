/** A response with a body that is not an operation's JSON, such as a voice platform's. */
export type CustomResponse = {
  status: number;
  contentType: string;
  body: string;
  headers?: Record<string, string>;
};
