/** The chart library, a script of its own: what it is given and gives is checked by its users. */
declare const d3: any;

interface ViewFault {
  status: number;
  code: string;
  detail: string;
}

interface Window {
  d3: any;
}
