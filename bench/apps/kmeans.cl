/* k-means: points lie feature by feature, so that neighbouring work-items read neighbouring numbers. */

__kernel void to_features(__global const float *points, __global float *features, uint n, uint dimensions)
{
    size_t point = get_global_id(0), feature = get_global_id(1);
    features[feature * n + point] = points[point * dimensions + feature];
}

float square_distance(__global const float *features, __constant const float *centre, size_t point, uint n, uint dimensions)
{
    float sum = 0.0f;
    for (uint f = 0; f < dimensions; f++) {
        float d = features[f * n + point] - centre[f];
        sum += d * d;
    }
    return sum;
}

__kernel void assign(__global const float *features, __constant const float *centres, __global int *cluster, uint n,
                     uint dimensions, int clusters)
{
    size_t point = get_global_id(0);
    float best = FLT_MAX;
    int nearest = -1;
    for (int c = 0; c < clusters; c++) {
        float distance = square_distance(features, centres + c * dimensions, point, n, dimensions);
        if (distance < best) {
            best = distance;
            nearest = c;
        }
    }
    cluster[point] = nearest;
}
