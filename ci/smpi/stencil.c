/* The reference for `prk_stencil`: the same star of radius 2, the same loops, blocks of a grid of ranks, and one message to each neighbor in
   each iteration. It takes the number of iterations and the size of the grid. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { R = 2 };

/* Where computation is not measured, the environment tells what an operation and a message cost, in seconds. */
static void costs(double operations, int messages) {
#ifdef SIMULATED
    const char *operation = getenv("RANK_OPERATION"), *message = getenv("RANK_MESSAGE");
    if (operation && message) smpi_execute(operations * atof(operation) + messages * atof(message));
#else
    (void)operations, (void)messages;
#endif
}

/* The part of `0..n` that block `at` of `blocks` has begins here. */
static int begin(int n, int blocks, int at) {
    return (int)((long)n * at / blocks);
}

int main(int count, char **arguments) {
    MPI_Init(&count, &arguments);
    int iterations = atoi(arguments[1]), order = atoi(arguments[2]), ranks, rank;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int grid[2] = {0, 0};
    MPI_Dims_create(ranks, 2, grid);
    int down = rank / grid[1], right = rank % grid[1];
    int inner = order - 2 * R;
    int top = begin(inner, grid[0], down), rows = begin(inner, grid[0], down + 1) - top;
    int left = begin(inner, grid[1], right), columns = begin(inner, grid[1], right + 1) - left;
    long width = columns + 2 * R;
    double *in = malloc(sizeof *in * (rows + 2 * R) * width), *out = calloc((long)rows * columns, sizeof *out);
    for (int i = 0; i < rows + 2 * R; i++)
        for (int j = 0; j < width; j++) in[i * width + j] = top + i + left + j;
    double weights[R];
    for (int k = 0; k < R; k++) weights[k] = 1.0 / (2 * (k + 1) * R);

    /* Up, down, left, right: who is there, or nobody; and where the rim lies that is sent there, and the halo that comes from there. */
    int to[4] = {down > 0 ? rank - grid[1] : MPI_PROC_NULL, down + 1 < grid[0] ? rank + grid[1] : MPI_PROC_NULL,
                 right > 0 ? rank - 1 : MPI_PROC_NULL, right + 1 < grid[1] ? rank + 1 : MPI_PROC_NULL};
    double *rim[4] = {in + R * width + R, in + rows * width + R, in + R * width + R, in + R * width + columns};
    double *halo[4] = {in + R, in + (rows + R) * width + R, in + R * width, in + R * width + columns + R};
    int height[4] = {R, R, rows, rows}, length[4] = {columns, columns, R, R};
    double *packed[4], *came[4];
    for (int d = 0; d < 4; d++) {
        packed[d] = malloc(sizeof **packed * height[d] * length[d]);
        came[d] = malloc(sizeof **came * height[d] * length[d]);
    }

    double start = 0;
    for (int step = 0; step <= iterations; step++) {
        if (step == 1) {
            MPI_Barrier(MPI_COMM_WORLD);
            start = MPI_Wtime();
        }
        MPI_Request requests[8];
        int messages = 0;
        for (int d = 0; d < 4; d++)
            MPI_Irecv(came[d], height[d] * length[d], MPI_DOUBLE, to[d], d ^ 1, MPI_COMM_WORLD, &requests[d]);
        for (int d = 0; d < 4; d++) {
            for (int i = 0; i < height[d]; i++)
                for (int j = 0; j < length[d]; j++) packed[d][i * length[d] + j] = rim[d][i * width + j];
            messages += to[d] != MPI_PROC_NULL;
            MPI_Isend(packed[d], height[d] * length[d], MPI_DOUBLE, to[d], d, MPI_COMM_WORLD, &requests[4 + d]);
        }
        MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
        for (int d = 0; d < 4; d++)
            for (int i = 0; to[d] != MPI_PROC_NULL && i < height[d]; i++)
                for (int j = 0; j < length[d]; j++) halo[d][i * width + j] = came[d][i * length[d] + j];
        for (int i = 0; i < rows; i++) {
            double *restrict to_row = out + (long)i * columns;
            const double *row = in + (i + R) * width + R;
            for (int j = 0; j < columns; j++) {
                double sum = 0;
                for (int k = 1; k <= R; k++)
                    sum += weights[k - 1] * ((row[j + k * width] - row[j - k * width]) + (row[j + k] - row[j - k]));
                to_row[j] += sum;
            }
        }
        /* Its own elements, and the border of the grid, which nobody sends. */
        int first = down > 0 ? R : 0, last = down + 1 < grid[0] ? rows + R : rows + 2 * R;
        int from = right > 0 ? R : 0, until = right + 1 < grid[1] ? columns + R : columns + 2 * R;
        for (int i = first; i < last; i++)
            for (int j = from; j < until; j++) in[i * width + j] += 1;
        costs((2. * (4 * R + 1) + 1) * rows * columns, messages);
    }
    double seconds = (MPI_Wtime() - start) / iterations, slowest, norm = 0, all;
    for (long i = 0; i < (long)rows * columns; i++) norm += fabs(out[i]);
    MPI_Reduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Reduce(&norm, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        double points = (double)inner * inner, expected = 2.0 * (iterations + 1);
        if (fabs(all / points - expected) > 1e-8 * expected) {
            printf("ERROR: solution does not validate: found %f, expected %f\n", all / points, expected);
        } else {
            printf("Solution validates\n");
            printf("Rate (MFlops/s): %f Avg time (s): %f\n", 1e-6 * (2 * (4 * R + 1) + 1) * points / slowest, slowest);
        }
    }
    MPI_Finalize();
    return 0;
}
