/** Maximum levels of lists and objects in the body of a request, and in files of the command line. */
export const deepest = 64;
