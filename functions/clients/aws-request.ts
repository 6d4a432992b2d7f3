import { AwsClient } from 'aws4fetch';

type Credentials = { accessKeyId: string; secretAccessKey: string; sessionToken?: string; region: string };
export type AwsRequest = { method: string; headers?: Record<string, string>; body?: Uint8Array | string };

/** Sends signed requests to an AWS service, by a library of 8 KiB in place of a client of the SDK. */
export class AwsRequests {
  readonly #client: AwsClient;

  constructor(service: string, { accessKeyId, secretAccessKey, sessionToken, region }: Credentials) {
    this.#client = new AwsClient({ accessKeyId, secretAccessKey, sessionToken, region, service, retries: 0 });
  }

  async send(url: string, { method, headers, body }: AwsRequest, signal: AbortSignal): Promise<Response> {
    const signed = await this.#client.sign(url, { method, headers, body } as RequestInit);
    // Sending the signed `Request` itself can lose the timeout: Node links a request to its signal only weakly.
    return fetch(signed.url, {
      method,
      headers: signed.headers,
      signal,
      body,
    } as RequestInit);
  }
}
